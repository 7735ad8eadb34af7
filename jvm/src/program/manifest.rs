//! The manifest of a jar, as far as it says something about classes, and the signatures that stand on it.

/// What a manifest says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Manifest {
    /// `META-INF/versions` counts.
    pub(super) multi_release: bool,
    /// It is an OSGi bundle, and does not import `sun.misc`.
    pub(super) bundle_without_sun_misc: bool,
    /// It names the module that the jar is on a module path, so it is meant for one.
    pub(super) automatic_module: bool,
}

impl Manifest {
    /// Where a jar has it.
    pub(super) const PATH: &str = "META-INF/MANIFEST.MF";

    pub(super) fn read(bytes: &[u8]) -> Manifest {
        let lines = lines(bytes);
        // The main attributes end at the first empty line.
        let main: Vec<&Vec<u8>> = lines.iter().map(|(line, _)| line).take_while(|line| !line.is_empty()).collect();
        let value = |name: &str| {
            let line = main.iter().find(|line| has_name(line, name))?;
            Some(String::from_utf8_lossy(&line[name.len() + 1..]).trim().to_owned())
        };
        let imports = value("Import-Package").unwrap_or_default() + &value("DynamicImport-Package").unwrap_or_default();
        Manifest {
            multi_release: value("Multi-Release").is_some_and(|value| value.eq_ignore_ascii_case("true")),
            bundle_without_sun_misc: value("Bundle-SymbolicName").is_some() && !imports.contains("sun.misc"),
            automatic_module: value("Automatic-Module-Name").is_some(),
        }
    }
}

/// The lines of a manifest, put together again where they were folded, each with its bytes as they are.
fn lines(bytes: &[u8]) -> Vec<(Vec<u8>, &[u8])> {
    let mut lines: Vec<(Vec<u8>, &[u8])> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let content = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(rest.len());
        let ending = if rest[content..].starts_with(b"\r\n") { 2 } else { 1.min(rest.len() - content) };
        let raw = &rest[..content + ending];
        match (lines.last_mut(), rest.first()) {
            (Some((line, whole)), Some(b' ')) => {
                line.extend(&rest[1..content]);
                let start = at - whole.len();
                *whole = &bytes[start..at + raw.len()];
            }
            _ => lines.push((rest[..content].to_vec(), raw)),
        }
        at += raw.len();
    }
    lines
}

fn has_name(line: &[u8], name: &str) -> bool {
    line.len() > name.len() && line[name.len()] == b':' && line[..name.len()].eq_ignore_ascii_case(name.as_bytes())
}

/// A manifest without the digests of entries, and without the sections that have nothing else; none if there are no such
/// digests.
pub(super) fn without_digests(bytes: &[u8]) -> Option<Vec<u8>> {
    let lines = lines(bytes);
    let is_digest = |line: &[u8]| {
        let name = line.split(|&byte| byte == b':').next().unwrap_or_default().to_ascii_lowercase();
        name.ends_with(b"-digest") || name.windows(8).any(|part| part == b"-digest-")
    };
    let mut out = Vec::new();
    let mut dropped = false;
    let mut sections = lines.split_inclusive(|(line, _)| line.is_empty());
    // The main section stays.
    let main = sections.next().unwrap_or_default();
    main.iter().for_each(|(_, raw)| out.extend(*raw));
    for section in sections {
        let digests = section.iter().filter(|(line, _)| is_digest(line)).count();
        dropped |= digests > 0;
        let says_more = section.iter().any(|(line, _)| !line.is_empty() && !is_digest(line) && !has_name(line, "Name"));
        if digests == 0 || says_more {
            section.iter().filter(|(line, _)| !is_digest(line)).for_each(|(_, raw)| out.extend(*raw));
        }
    }
    dropped.then_some(out)
}

/// Whether a path is that of a file that signs a jar, or holds such signatures.
pub(super) fn is_signature(path: &str) -> bool {
    let Some(name) = path.strip_prefix("META-INF/").filter(|name| !name.contains('/')) else { return false };
    let name = name.to_ascii_uppercase();
    name.starts_with("SIG-") || [".SF", ".RSA", ".DSA", ".EC"].iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_attributes_count() {
        let text = b"Manifest-Version: 1.0\r\nmulti-release: tr\r\n ue\r\nBundle-SymbolicName: x\r\n\r\nImport-Package: sun.misc\r\n";
        let manifest = Manifest::read(text);
        let wanted = Manifest { multi_release: true, bundle_without_sun_misc: true, ..Manifest::default() };
        assert_eq!(manifest, wanted);
        assert!(Manifest::read(b"Automatic-Module-Name: a.b\n").automatic_module);
        assert_eq!(Manifest::read(b"\nMulti-Release: true"), Manifest::default());
        let imports = b"Bundle-SymbolicName: x\nImport-Package: org.slf4j,sun.misc;resolution:=optional\n";
        assert_eq!(Manifest::read(imports), Manifest::default());
    }

    #[test]
    fn digests_go_and_the_rest_stays() {
        let text = b"Manifest-Version: 1.0\r\nA: b\r\n\r\nName: a/B.class\r\nSHA-256-Digest: abc\r\n def\r\n\r\nName: a/\r\nSealed: true\r\nSHA1-Digest: x\r\n\r\nName: c/\r\nSealed: true\r\n";
        let wanted =
            b"Manifest-Version: 1.0\r\nA: b\r\n\r\nName: a/\r\nSealed: true\r\n\r\nName: c/\r\nSealed: true\r\n";
        assert_eq!(without_digests(text).as_deref(), Some(&wanted[..]));
        assert_eq!(without_digests(wanted), None);
        assert_eq!(without_digests(b""), None);
    }

    #[test]
    fn signatures_are_known_by_their_names() {
        assert!(is_signature("META-INF/KEY.SF") && is_signature("META-INF/key.rsa") && is_signature("META-INF/SIG-X"));
        assert!(!is_signature("META-INF/services/a.SF") && !is_signature("KEY.SF") && !is_signature("META-INF/a.txt"));
    }
}
