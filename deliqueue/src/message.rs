//! Messages, what they are matched by, and when they are due.

use core::fmt;
use core::time::Duration;

/// A point in time: nanoseconds since the origin of the queue's clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct When(pub u64);

impl When {
    /// The clock's origin, which is before everything else; front-of-queue messages are due then.
    pub const ORIGIN: When = When(0);

    /// This long after the origin; what is beyond 584 years is cut off there.
    pub fn from_origin(since: Duration) -> When {
        When(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }

    /// This much later, at most the end of time.
    #[must_use]
    pub fn after(self, delay: Duration) -> When {
        When(self.0.saturating_add(When::from_origin(delay).0))
    }

    /// How long from an earlier point to this one; nothing if that one is later.
    #[must_use]
    pub fn since(self, earlier: When) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Debug for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Duration::from_nanos(self.0).fmt(f)
    }
}

/// Whom a message is for: a number that means something to who posts and who runs. Handlers have one each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Target(pub u64);

impl Target {
    /// A target that nobody else has, in this process.
    pub fn unique() -> Self {
        Self(crate::unique())
    }

    /// Nobody in particular.
    pub const NONE: Target = Target(0);
}

/// A mark by which messages are found again, to remove them or to ask for them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Token(pub u64);

impl Token {
    /// A mark that nobody else has, in this process.
    pub fn unique() -> Self {
        Self(crate::unique())
    }

    /// No mark.
    pub const NONE: Token = Token(0);
}

/// Names a barrier, to remove it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use = "a barrier holds messages back until it is removed by its token"]
pub struct BarrierToken(pub(crate) u64);

impl BarrierToken {
    /// The number of the barrier, for who has to hand it through another language.
    pub fn to_raw(self) -> u64 {
        self.0
    }

    /// The barrier of this number.
    pub fn from_raw(number: u64) -> Self {
        Self(number)
    }
}

/// When a message is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Due {
    /// As soon as what was posted before it has run.
    #[default]
    Now,
    /// After this long.
    After(Duration),
    /// At this time of the queue's clock.
    At(When),
    /// Before all that waits, also before what was posted to the front earlier.
    Front,
}

/// A message: a payload, what it is matched by, and when it is due.
///
/// ```
/// use core::time::Duration;
/// use deliqueue::{Message, Token};
///
/// let message = Message::new("save").what(7).token(Token(1)).after(Duration::from_millis(20));
/// assert_eq!(message.what, 7);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message<T> {
    /// What it carries. Dropped at once by whoever removes the message.
    pub payload: T,
    /// When it is due; in a message that was received, [`Due::Front`] or [`Due::At`].
    pub due: Due,
    /// Whom it is for.
    pub target: Target,
    /// What it is about, in the words of its target.
    pub what: i32,
    /// The mark by which it is found again.
    pub token: Token,
    /// Whether barriers let it pass.
    pub asynchronous: bool,
}

impl<T> Message<T> {
    /// A message that is due now.
    pub fn new(payload: T) -> Self {
        Self { payload, due: Due::Now, target: Target::NONE, what: 0, token: Token::NONE, asynchronous: false }
    }

    /// Due at this time of the queue's clock.
    #[must_use]
    pub fn at(mut self, when: When) -> Self {
        self.due = Due::At(when);
        self
    }

    /// Due after this long.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.due = Due::After(delay);
        self
    }

    /// Due before all that waits.
    #[must_use]
    pub fn front(mut self) -> Self {
        self.due = Due::Front;
        self
    }

    /// For this target.
    #[must_use]
    pub fn target(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    /// About this.
    #[must_use]
    pub fn what(mut self, what: i32) -> Self {
        self.what = what;
        self
    }

    /// With this mark.
    #[must_use]
    pub fn token(mut self, token: Token) -> Self {
        self.token = token;
        self
    }

    /// Barriers let it pass.
    #[must_use]
    pub fn asynchronous(mut self) -> Self {
        self.asynchronous = true;
        self
    }
}

/// What is known of a waiting message without its payload, which belongs to whoever takes the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// When it is due; [`When::ORIGIN`] at the front.
    pub when: When,
    /// Whom it is for.
    pub target: Target,
    /// What it is about.
    pub what: i32,
    /// Its mark; of a barrier, its number.
    pub token: Token,
    /// Whether barriers let it pass.
    pub asynchronous: bool,
    /// Whether it was posted to the front.
    pub front: bool,
    /// Whether it is a barrier and no message.
    pub barrier: bool,
}

/// Which messages: all those that have every part that is given.
///
/// ```
/// use deliqueue::{Filter, Target};
///
/// let filter = Filter::target(Target(3)).what(7);
/// # let _ = filter;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Filter {
    target: Option<Target>,
    what: Option<i32>,
    token: Option<Token>,
}

impl Filter {
    /// All messages.
    pub fn all() -> Self {
        Self::default()
    }

    /// Those for this target.
    pub fn target(target: Target) -> Self {
        Self { target: Some(target), ..Self::default() }
    }

    /// Those about this, of these.
    pub fn what(self, what: i32) -> Self {
        Self { what: Some(what), ..self }
    }

    /// Those with this mark, of these.
    pub fn token(self, token: Token) -> Self {
        Self { token: Some(token), ..self }
    }

    /// Whether this message is one of them; barriers never are.
    pub fn matches(&self, entry: &Entry) -> bool {
        !entry.barrier
            && self.target.map_or(true, |target| target == entry.target)
            && self.what.map_or(true, |what| what == entry.what)
            && self.token.map_or(true, |token| token == entry.token)
    }
}

/// The queue has quit; here is the message back.
#[derive(Clone, PartialEq, Eq)]
pub struct SendError<T>(pub Message<T>);

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SendError(..)")
    }
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the queue has quit and takes no more messages")
    }
}

#[cfg(feature = "std")]
impl<T> std::error::Error for SendError<T> {}

/// The queue has quit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HasQuit;

impl fmt::Display for HasQuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the queue has quit")
    }
}

#[cfg(feature = "std")]
impl std::error::Error for HasQuit {}
