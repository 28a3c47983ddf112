//! The archive that Linux unpacks as its first file system: cpio "newc" (Documentation/driver-api/early-userspace/buffer-format.rst
//! in the kernel's source). Written here because `cpio` would need root to make device nodes.

/// A cpio archive that grows.
#[derive(Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    inodes: u32,
}

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const CHARACTER_DEVICE: u32 = 0o020_600;

impl Archive {
    pub(super) fn folder(&mut self, name: &str) {
        self.entry(name, FOLDER, &[], (0, 0));
    }

    pub(super) fn program(&mut self, name: &str, content: &[u8]) {
        self.entry(name, PROGRAM, content, (0, 0));
    }

    pub(super) fn character_device(&mut self, name: &str, major: u32, minor: u32) {
        self.entry(name, CHARACTER_DEVICE, &[], (major, minor));
    }

    /// The finished archive.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[], (0, 0));
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, content: &[u8], (major, minor): (u32, u32)) {
        self.inodes += 1;
        let size = u32::try_from(content.len()).expect("a file of the first file system is below 4 GiB");
        let name_size = u32::try_from(name.len() + 1).expect("a name is short");
        // Inode, mode, user, group, links, time, size, device, special device, length of the name, no checksum.
        let fields = [self.inodes, mode, 0, 0, 1, 0, size, 0, 0, major, minor, name_size, 0];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_of_the_format_and_aligned() {
        let mut archive = Archive::default();
        archive.folder("dev");
        archive.program("init", b"12345");
        let bytes = archive.finish();
        assert_eq!(bytes.len() % 4, 0);
        let headers: Vec<_> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"070701")).collect();
        assert_eq!(headers.len(), 3);
        assert!(headers.iter().all(|at| at % 4 == 0));
        // The size is the seventh field, the name follows thirteen fields.
        assert_eq!(&bytes[headers[1] + 6 + 6 * 8..][..8], b"00000005");
        assert_eq!(&bytes[headers[1] + 6 + 13 * 8..][..5], b"init\0");
    }
}
