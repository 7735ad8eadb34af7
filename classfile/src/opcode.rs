//! The one table of the JVM's instructions: decoding, encoding, sizes and stack effects all read it.

/// What follows an instruction's opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing.
    None,
    /// A signed byte.
    Byte,
    /// Two signed bytes.
    Short,
    /// A one-byte index into the constant pool.
    Ldc,
    /// An index into the constant pool.
    Constant,
    /// An index of a `Fieldref`.
    Field,
    /// An index of a `Methodref` or `InterfaceMethodref`.
    Method,
    /// An index of an `InterfaceMethodref`, the slots of the arguments, and a zero.
    InterfaceMethod,
    /// An index of an `InvokeDynamic`, and two zeros.
    Dynamic,
    /// A local variable.
    Local,
    /// A local variable and a signed byte.
    Increment,
    /// A distance of two bytes.
    Branch,
    /// A distance of four bytes.
    BranchWide,
    /// Padding, default, low, high, and as many distances.
    TableSwitch,
    /// Padding, default, and pairs.
    LookupSwitch,
    /// The kind of a primitive array's elements.
    NewArray,
    /// An index of a `Class` and a number of dimensions.
    MultiNewArray,
    /// Another instruction, with its operands widened.
    Wide,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpcodeInfo {
    pub(crate) mnemonic: &'static str,
    pub(crate) shape: Shape,
    /// Slots taken off the stack, besides what a descriptor says.
    pub(crate) pops: u8,
    /// Slots put on the stack, besides what a descriptor says.
    pub(crate) pushes: u8,
}

macro_rules! opcodes {
    ($($value:literal $name:ident $mnemonic:literal $shape:ident $pops:literal $pushes:literal;)*) => {
        /// An opcode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the names are the specification's")]
        pub enum Opcode {
            $($name = $value,)*
        }

        /// All opcodes; the row of each is at its value.
        const TABLE: &[(Opcode, OpcodeInfo)] = &[
            $((Opcode::$name, OpcodeInfo { mnemonic: $mnemonic, shape: Shape::$shape, pops: $pops, pushes: $pushes }),)*
        ];
    };
}

opcodes! {
    0x00 Nop             "nop"             None            0 0;
    0x01 AconstNull      "aconst_null"     None            0 1;
    0x02 IconstM1        "iconst_m1"       None            0 1;
    0x03 Iconst0         "iconst_0"        None            0 1;
    0x04 Iconst1         "iconst_1"        None            0 1;
    0x05 Iconst2         "iconst_2"        None            0 1;
    0x06 Iconst3         "iconst_3"        None            0 1;
    0x07 Iconst4         "iconst_4"        None            0 1;
    0x08 Iconst5         "iconst_5"        None            0 1;
    0x09 Lconst0         "lconst_0"        None            0 2;
    0x0a Lconst1         "lconst_1"        None            0 2;
    0x0b Fconst0         "fconst_0"        None            0 1;
    0x0c Fconst1         "fconst_1"        None            0 1;
    0x0d Fconst2         "fconst_2"        None            0 1;
    0x0e Dconst0         "dconst_0"        None            0 2;
    0x0f Dconst1         "dconst_1"        None            0 2;
    0x10 Bipush          "bipush"          Byte            0 1;
    0x11 Sipush          "sipush"          Short           0 1;
    0x12 Ldc             "ldc"             Ldc             0 1;
    0x13 LdcW            "ldc_w"           Constant        0 1;
    0x14 Ldc2W           "ldc2_w"          Constant        0 2;
    0x15 Iload           "iload"           Local           0 1;
    0x16 Lload           "lload"           Local           0 2;
    0x17 Fload           "fload"           Local           0 1;
    0x18 Dload           "dload"           Local           0 2;
    0x19 Aload           "aload"           Local           0 1;
    0x1a Iload0          "iload_0"         None            0 1;
    0x1b Iload1          "iload_1"         None            0 1;
    0x1c Iload2          "iload_2"         None            0 1;
    0x1d Iload3          "iload_3"         None            0 1;
    0x1e Lload0          "lload_0"         None            0 2;
    0x1f Lload1          "lload_1"         None            0 2;
    0x20 Lload2          "lload_2"         None            0 2;
    0x21 Lload3          "lload_3"         None            0 2;
    0x22 Fload0          "fload_0"         None            0 1;
    0x23 Fload1          "fload_1"         None            0 1;
    0x24 Fload2          "fload_2"         None            0 1;
    0x25 Fload3          "fload_3"         None            0 1;
    0x26 Dload0          "dload_0"         None            0 2;
    0x27 Dload1          "dload_1"         None            0 2;
    0x28 Dload2          "dload_2"         None            0 2;
    0x29 Dload3          "dload_3"         None            0 2;
    0x2a Aload0          "aload_0"         None            0 1;
    0x2b Aload1          "aload_1"         None            0 1;
    0x2c Aload2          "aload_2"         None            0 1;
    0x2d Aload3          "aload_3"         None            0 1;
    0x2e Iaload          "iaload"          None            2 1;
    0x2f Laload          "laload"          None            2 2;
    0x30 Faload          "faload"          None            2 1;
    0x31 Daload          "daload"          None            2 2;
    0x32 Aaload          "aaload"          None            2 1;
    0x33 Baload          "baload"          None            2 1;
    0x34 Caload          "caload"          None            2 1;
    0x35 Saload          "saload"          None            2 1;
    0x36 Istore          "istore"          Local           1 0;
    0x37 Lstore          "lstore"          Local           2 0;
    0x38 Fstore          "fstore"          Local           1 0;
    0x39 Dstore          "dstore"          Local           2 0;
    0x3a Astore          "astore"          Local           1 0;
    0x3b Istore0         "istore_0"        None            1 0;
    0x3c Istore1         "istore_1"        None            1 0;
    0x3d Istore2         "istore_2"        None            1 0;
    0x3e Istore3         "istore_3"        None            1 0;
    0x3f Lstore0         "lstore_0"        None            2 0;
    0x40 Lstore1         "lstore_1"        None            2 0;
    0x41 Lstore2         "lstore_2"        None            2 0;
    0x42 Lstore3         "lstore_3"        None            2 0;
    0x43 Fstore0         "fstore_0"        None            1 0;
    0x44 Fstore1         "fstore_1"        None            1 0;
    0x45 Fstore2         "fstore_2"        None            1 0;
    0x46 Fstore3         "fstore_3"        None            1 0;
    0x47 Dstore0         "dstore_0"        None            2 0;
    0x48 Dstore1         "dstore_1"        None            2 0;
    0x49 Dstore2         "dstore_2"        None            2 0;
    0x4a Dstore3         "dstore_3"        None            2 0;
    0x4b Astore0         "astore_0"        None            1 0;
    0x4c Astore1         "astore_1"        None            1 0;
    0x4d Astore2         "astore_2"        None            1 0;
    0x4e Astore3         "astore_3"        None            1 0;
    0x4f Iastore         "iastore"         None            3 0;
    0x50 Lastore         "lastore"         None            4 0;
    0x51 Fastore         "fastore"         None            3 0;
    0x52 Dastore         "dastore"         None            4 0;
    0x53 Aastore         "aastore"         None            3 0;
    0x54 Bastore         "bastore"         None            3 0;
    0x55 Castore         "castore"         None            3 0;
    0x56 Sastore         "sastore"         None            3 0;
    0x57 Pop             "pop"             None            1 0;
    0x58 Pop2            "pop2"            None            2 0;
    0x59 Dup             "dup"             None            1 2;
    0x5a DupX1           "dup_x1"          None            2 3;
    0x5b DupX2           "dup_x2"          None            3 4;
    0x5c Dup2            "dup2"            None            2 4;
    0x5d Dup2X1          "dup2_x1"         None            3 5;
    0x5e Dup2X2          "dup2_x2"         None            4 6;
    0x5f Swap            "swap"            None            2 2;
    0x60 Iadd            "iadd"            None            2 1;
    0x61 Ladd            "ladd"            None            4 2;
    0x62 Fadd            "fadd"            None            2 1;
    0x63 Dadd            "dadd"            None            4 2;
    0x64 Isub            "isub"            None            2 1;
    0x65 Lsub            "lsub"            None            4 2;
    0x66 Fsub            "fsub"            None            2 1;
    0x67 Dsub            "dsub"            None            4 2;
    0x68 Imul            "imul"            None            2 1;
    0x69 Lmul            "lmul"            None            4 2;
    0x6a Fmul            "fmul"            None            2 1;
    0x6b Dmul            "dmul"            None            4 2;
    0x6c Idiv            "idiv"            None            2 1;
    0x6d Ldiv            "ldiv"            None            4 2;
    0x6e Fdiv            "fdiv"            None            2 1;
    0x6f Ddiv            "ddiv"            None            4 2;
    0x70 Irem            "irem"            None            2 1;
    0x71 Lrem            "lrem"            None            4 2;
    0x72 Frem            "frem"            None            2 1;
    0x73 Drem            "drem"            None            4 2;
    0x74 Ineg            "ineg"            None            1 1;
    0x75 Lneg            "lneg"            None            2 2;
    0x76 Fneg            "fneg"            None            1 1;
    0x77 Dneg            "dneg"            None            2 2;
    0x78 Ishl            "ishl"            None            2 1;
    0x79 Lshl            "lshl"            None            3 2;
    0x7a Ishr            "ishr"            None            2 1;
    0x7b Lshr            "lshr"            None            3 2;
    0x7c Iushr           "iushr"           None            2 1;
    0x7d Lushr           "lushr"           None            3 2;
    0x7e Iand            "iand"            None            2 1;
    0x7f Land            "land"            None            4 2;
    0x80 Ior             "ior"             None            2 1;
    0x81 Lor             "lor"             None            4 2;
    0x82 Ixor            "ixor"            None            2 1;
    0x83 Lxor            "lxor"            None            4 2;
    0x84 Iinc            "iinc"            Increment       0 0;
    0x85 I2l             "i2l"             None            1 2;
    0x86 I2f             "i2f"             None            1 1;
    0x87 I2d             "i2d"             None            1 2;
    0x88 L2i             "l2i"             None            2 1;
    0x89 L2f             "l2f"             None            2 1;
    0x8a L2d             "l2d"             None            2 2;
    0x8b F2i             "f2i"             None            1 1;
    0x8c F2l             "f2l"             None            1 2;
    0x8d F2d             "f2d"             None            1 2;
    0x8e D2i             "d2i"             None            2 1;
    0x8f D2l             "d2l"             None            2 2;
    0x90 D2f             "d2f"             None            2 1;
    0x91 I2b             "i2b"             None            1 1;
    0x92 I2c             "i2c"             None            1 1;
    0x93 I2s             "i2s"             None            1 1;
    0x94 Lcmp            "lcmp"            None            4 1;
    0x95 Fcmpl           "fcmpl"           None            2 1;
    0x96 Fcmpg           "fcmpg"           None            2 1;
    0x97 Dcmpl           "dcmpl"           None            4 1;
    0x98 Dcmpg           "dcmpg"           None            4 1;
    0x99 Ifeq            "ifeq"            Branch          1 0;
    0x9a Ifne            "ifne"            Branch          1 0;
    0x9b Iflt            "iflt"            Branch          1 0;
    0x9c Ifge            "ifge"            Branch          1 0;
    0x9d Ifgt            "ifgt"            Branch          1 0;
    0x9e Ifle            "ifle"            Branch          1 0;
    0x9f IfIcmpeq        "if_icmpeq"       Branch          2 0;
    0xa0 IfIcmpne        "if_icmpne"       Branch          2 0;
    0xa1 IfIcmplt        "if_icmplt"       Branch          2 0;
    0xa2 IfIcmpge        "if_icmpge"       Branch          2 0;
    0xa3 IfIcmpgt        "if_icmpgt"       Branch          2 0;
    0xa4 IfIcmple        "if_icmple"       Branch          2 0;
    0xa5 IfAcmpeq        "if_acmpeq"       Branch          2 0;
    0xa6 IfAcmpne        "if_acmpne"       Branch          2 0;
    0xa7 Goto            "goto"            Branch          0 0;
    0xa8 Jsr             "jsr"             Branch          0 1;
    0xa9 Ret             "ret"             Local           0 0;
    0xaa Tableswitch     "tableswitch"     TableSwitch     1 0;
    0xab Lookupswitch    "lookupswitch"    LookupSwitch    1 0;
    0xac Ireturn         "ireturn"         None            1 0;
    0xad Lreturn         "lreturn"         None            2 0;
    0xae Freturn         "freturn"         None            1 0;
    0xaf Dreturn         "dreturn"         None            2 0;
    0xb0 Areturn         "areturn"         None            1 0;
    0xb1 Return          "return"          None            0 0;
    0xb2 Getstatic       "getstatic"       Field           0 0;
    0xb3 Putstatic       "putstatic"       Field           0 0;
    0xb4 Getfield        "getfield"        Field           1 0;
    0xb5 Putfield        "putfield"        Field           1 0;
    0xb6 Invokevirtual   "invokevirtual"   Method          1 0;
    0xb7 Invokespecial   "invokespecial"   Method          1 0;
    0xb8 Invokestatic    "invokestatic"    Method          0 0;
    0xb9 Invokeinterface "invokeinterface" InterfaceMethod 1 0;
    0xba Invokedynamic   "invokedynamic"   Dynamic         0 0;
    0xbb New             "new"             Constant        0 1;
    0xbc Newarray        "newarray"        NewArray        1 1;
    0xbd Anewarray       "anewarray"       Constant        1 1;
    0xbe Arraylength     "arraylength"     None            1 1;
    0xbf Athrow          "athrow"          None            1 0;
    0xc0 Checkcast       "checkcast"       Constant        1 1;
    0xc1 Instanceof      "instanceof"      Constant        1 1;
    0xc2 Monitorenter    "monitorenter"    None            1 0;
    0xc3 Monitorexit     "monitorexit"     None            1 0;
    0xc4 Wide            "wide"            Wide            0 0;
    0xc5 Multianewarray  "multianewarray"  MultiNewArray   0 1;
    0xc6 Ifnull          "ifnull"          Branch          1 0;
    0xc7 Ifnonnull       "ifnonnull"       Branch          1 0;
    0xc8 GotoW           "goto_w"          BranchWide      0 0;
    0xc9 JsrW            "jsr_w"           BranchWide      0 1;
}

impl Opcode {
    /// The opcode with this value.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Opcode> {
        TABLE.get(usize::from(byte)).map(|(opcode, _)| *opcode)
    }

    /// Its value.
    #[must_use]
    pub fn byte(self) -> u8 {
        self as u8
    }

    pub(crate) fn info(self) -> &'static OpcodeInfo {
        &TABLE[usize::from(self.byte())].1
    }

    /// Its name in the specification.
    #[must_use]
    pub fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }

    /// What follows it.
    #[must_use]
    pub fn shape(self) -> Shape {
        self.info().shape
    }

    /// Whether control may go on to the next instruction. A subroutine (`jsr`) is taken to return.
    #[must_use]
    pub fn falls_through(self) -> bool {
        use Opcode::*;
        !matches!(self, Goto | GotoW | Athrow | Ret | Tableswitch | Lookupswitch) && !self.is_return()
    }

    /// Whether it leaves the method as a `return` does.
    #[must_use]
    pub fn is_return(self) -> bool {
        (Opcode::Ireturn..=Opcode::Return).contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_at_its_value() {
        for (index, (opcode, info)) in TABLE.iter().enumerate() {
            assert_eq!(usize::from(opcode.byte()), index, "{}", info.mnemonic);
            assert_eq!(Opcode::from_byte(opcode.byte()), Some(*opcode));
        }
        assert_eq!(Opcode::from_byte(0xca), None);
    }
}
