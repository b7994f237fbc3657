//! A picture as PNG: 8 bits of red, green and blue a pixel, unfiltered, which suits letters on one
//! colour best.
//! Source: PNG (third edition), <https://www.w3.org/TR/png-3/>.

#[cfg(feature = "card")]
use miniz_oxide::deflate::compress_to_vec_zlib;

#[cfg(feature = "card")]
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const HEADER_BYTES: usize = 8 + 12 + 13;
/// Eight bits a sample; colour type 2, without transparency; the only compression, filters and
/// order of lines (11.2.1).
#[cfg(feature = "card")]
const KIND: [u8; 5] = [8, 2, 0, 0, 0];
/// The filter that changes nothing, in front of every line (9.2).
#[cfg(feature = "card")]
const NONE: u8 = 0;
#[cfg(feature = "card")]
const LEVEL: u8 = 6;

#[cfg(feature = "card")]
pub fn encode(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let line_bytes = width as usize * 3;
    let mut filtered = Vec::with_capacity(pixels.len() + height as usize);
    for line in pixels.chunks_exact(line_bytes.max(1)) {
        filtered.push(NONE);
        filtered.extend(line);
    }
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &KIND].concat();
    let mut file = SIGNATURE.to_vec();
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"IDAT", &compress_to_vec_zlib(&filtered, LEVEL));
    chunk(&mut file, b"IEND", &[]);
    signed(&file)
}

/// The image with the name of the program in it (11.3.4.3), which tells ours from others.
pub fn signed(image: &[u8]) -> Vec<u8> {
    let (first, rest) = image.split_at(image.len().min(HEADER_BYTES));
    let mut file = first.to_vec();
    chunk(&mut file, b"tEXt", b"Software\0bakeoff");
    file.extend(rest);
    file
}

/// Appends a chunk: length, type, data, checksum (5.3).
fn chunk(file: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let from = file.len();
    file.extend(name);
    file.extend(data);
    let sum = crc(&file[from..]);
    file.extend(sum.to_be_bytes());
}

/// CRC-32 (annex D), bit by bit: a card has some 50 kB.
fn crc(bytes: &[u8]) -> u32 {
    let fold = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 }
        })
    };
    !bytes.iter().fold(u32::MAX, fold)
}

#[cfg(all(test, feature = "card"))]
mod tests {
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        // The chunk IEND of every PNG.
        assert_eq!(crc(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn lines_are_whole_and_compressed() {
        let file = encode(1, 2, &[10, 20, 30, 11, 20, 29]);
        assert!(file.starts_with(SIGNATURE) && file[12..16] == *b"IHDR");
        let at = file.windows(4).position(|word| word == b"IDAT").unwrap();
        let len = u32::from_be_bytes(file[at - 4..at].try_into().unwrap()) as usize;
        let data = decompress_to_vec_zlib(&file[at + 4..at + 4 + len]).unwrap();
        assert_eq!(data, [NONE, 10, 20, 30, NONE, 11, 20, 29]);
    }
}
