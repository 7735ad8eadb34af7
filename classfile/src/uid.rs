//! The serialVersionUID that a JVM computes for a class without one: section 4.6 of the Java Object Serialization
//! Specification, and where that leaves something open, what `ObjectStreamClass` does.
//!
//! It is a hash of everything about a class that others can see, and of its private instance fields. So to add or remove a
//! member that counts makes what was serialised before unreadable, unless the class declares the number it had.

use sha1::{Digest, Sha1};

use crate::class::{ClassFile, Member};
use crate::edit::{add_field, new_attribute};
use crate::error::{Problem, Result};
use crate::flags::{
    ABSTRACT, FINAL, INTERFACE, NATIVE, PRIVATE, PROTECTED, PUBLIC, STATIC, STRICT, SYNCHRONIZED, TRANSIENT, VOLATILE,
};
use crate::pool::{Constant, PoolIndex};

/// What the field is called that declares the number.
const FIELD: &str = "serialVersionUID";

/// What counts of the flags of classes, of fields, and of methods.
const CLASS: u16 = PUBLIC | FINAL | INTERFACE | ABSTRACT;
const OF_FIELD: u16 = PUBLIC | PRIVATE | PROTECTED | STATIC | FINAL | VOLATILE | TRANSIENT;
const OF_METHOD: u16 = PUBLIC | PRIVATE | PROTECTED | STATIC | FINAL | SYNCHRONIZED | NATIVE | ABSTRACT | STRICT;

/// Name, descriptor and flags of a member.
type Signature<'f> = (&'f [u8], &'f [u8], u16);

impl ClassFile<'_> {
    /// The number that is computed for this class if it is serializable, whether or not it declares another.
    ///
    /// # Errors
    /// The class is broken where this looks, or it has several fields of one name: then it depends on the JVM.
    pub fn computed_serial_version_uid(&self) -> Result<i64> {
        let hash = Sha1::digest(self.what_counts()?);
        let first = hash.first_chunk().expect("a hash has twenty bytes");
        Ok(i64::from_le_bytes(*first))
    }

    /// The text that is hashed.
    fn what_counts(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        put_text(&mut out, &dotted(self.utf8_of_class(self.this_class)?));
        let of_methods = |name: &[u8]| !name.starts_with(b"<");
        let mut access = self.source_flags()? & CLASS;
        if access & INTERFACE != 0 {
            // Old compilers marked an interface as abstract only if it had methods; so it counts like that for all.
            access &= !ABSTRACT;
            for method in &self.methods {
                access |= if of_methods(self.pool.utf8(method.name)?) { ABSTRACT } else { 0 };
            }
        }
        put_flags(&mut out, access);
        let mut interfaces = Vec::new();
        for &interface in &self.interfaces {
            interfaces.push(dotted(self.utf8_of_class(interface)?));
        }
        interfaces.sort_unstable();
        interfaces.iter().for_each(|name| put_text(&mut out, name));

        let mut fields = self.signatures(&self.fields)?;
        fields.sort_unstable();
        if fields.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Problem::Exists("another field of the same name".to_owned()).into());
        }
        for (name, descriptor, access) in fields {
            if access & PRIVATE == 0 || access & (STATIC | TRANSIENT) == 0 {
                put_text(&mut out, name);
                put_flags(&mut out, access & OF_FIELD);
                put_text(&mut out, descriptor);
            }
        }
        // Methods come by name and then by descriptor, after the initialiser and the constructors.
        let mut methods = self.signatures(&self.methods)?;
        methods.sort_unstable_by_key(|&(name, descriptor, _)| (of_methods(name), name, descriptor));
        for (name, descriptor, access) in methods {
            let is_initialiser = name == b"<clinit>";
            if is_initialiser || access & PRIVATE == 0 {
                put_text(&mut out, name);
                put_flags(&mut out, if is_initialiser { STATIC } else { access & OF_METHOD });
                put_text(&mut out, &if is_initialiser { descriptor.to_vec() } else { dotted(descriptor) });
            }
        }
        Ok(out)
    }

    /// The flags that a class was declared with: of one that is declared in another, its own file does not have them all.
    fn source_flags(&self) -> Result<u16> {
        let name = self.utf8_of_class(self.this_class)?;
        for inner in self.inner_classes()? {
            if self.utf8_of_class(inner.class)? == name {
                return Ok(inner.access_flags);
            }
        }
        Ok(self.access_flags)
    }

    fn utf8_of_class(&self, index: PoolIndex) -> Result<&[u8]> {
        match self.pool.get(index)? {
            Constant::Class { name } => self.pool.utf8(name),
            _ => self.pool.class_name(index).map(|_| &[][..]),
        }
    }

    /// The members of a list. As bytes, names are in the order that Java has them in.
    fn signatures(&self, members: &[Member<'_>]) -> Result<Vec<Signature<'_>>> {
        let signature = |member: &Member<'_>| {
            Ok((self.pool.utf8(member.name)?, self.pool.utf8(member.descriptor)?, member.access_flags))
        };
        members.iter().map(signature).collect()
    }
}

/// Has a class that was edited keep the number that was computed for it before, by declaring it if it would be another
/// now.
///
/// # Errors
/// As [`ClassFile::computed_serial_version_uid`], or there is no room for the field.
pub fn keep_serial_version_uid(class: &mut ClassFile<'_>, before: &ClassFile<'_>) -> Result<()> {
    if class.find_field(FIELD, "J").is_some() || class.what_counts()? == before.what_counts()? {
        return Ok(());
    }
    let value = class.pool.add(&Constant::Long(before.computed_serial_version_uid()?))?;
    let field = add_field(class, PRIVATE | STATIC | FINAL, FIELD, "J")?;
    let attribute = new_attribute(&mut class.pool, "ConstantValue", value.0.to_be_bytes().to_vec())?;
    class.fields[field].attributes.push(attribute);
    Ok(())
}

fn dotted(name: &[u8]) -> Vec<u8> {
    name.iter().map(|&byte| if byte == b'/' { b'.' } else { byte }).collect()
}

fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    // No text of a class file is longer than two bytes can say.
    out.extend((text.len() as u16).to_be_bytes());
    out.extend(text);
}

fn put_flags(out: &mut Vec<u8>, access: u16) {
    out.extend(u32::from(access).to_be_bytes());
}
