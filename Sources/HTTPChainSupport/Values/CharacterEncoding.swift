package import Foundation

/// The character encodings of text bodies, by their names in the `charset` parameter.
package enum CharacterEncoding {
    /// Returns the encoding with a name in the IANA registry, or nil if it isn't supported.
    package static func named(_ name: String) -> String.Encoding? {
        var letters = name.lowercased().unicodeScalars
        letters.removeAll { $0 == "-" || $0 == "_" || $0 == " " }
        return byName[String(letters)]
    }

    /// Decodes text according to its byte order mark; returns nil if there is none, or if the text is invalid.
    package static func markedText(of data: Data) -> String? {
        for (mark, encoding) in marks where data.starts(with: mark) {
            return String(data: data.dropFirst(mark.count), encoding: encoding)
        }
        return nil
    }

    private static let marks: [([UInt8], String.Encoding)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE, 0x00, 0x00], .utf32LittleEndian),
        ([0x00, 0x00, 0xFE, 0xFF], .utf32BigEndian), ([0xFF, 0xFE], .utf16LittleEndian),
        ([0xFE, 0xFF], .utf16BigEndian),
    ]

    private static let byName: [String: String.Encoding] = {
        var result: [String: String.Encoding] = [:]
        for (encoding, names) in table {
            for name in names { result[name] = encoding }
        }
        // Encodings without a Foundation constant: 0x8000_0000 and the CFStringEncoding.
        for (code, names) in coreFoundationTable {
            for name in names { result[name] = String.Encoding(rawValue: 0x8000_0000 | code) }
        }
        return result
    }()

    private static let table: [(String.Encoding, [String])] = [
        (.utf8, ["utf8", "unicode11utf8"]),
        (.ascii, ["usascii", "ascii", "iso646us"]),
        (.isoLatin1, ["iso88591", "latin1", "l1"]),
        (.isoLatin2, ["iso88592", "latin2", "l2"]),
        (.windowsCP1250, ["windows1250", "cp1250"]),
        (.windowsCP1251, ["windows1251", "cp1251"]),
        (.windowsCP1252, ["windows1252", "cp1252"]),
        (.windowsCP1253, ["windows1253", "cp1253"]),
        (.windowsCP1254, ["windows1254", "cp1254"]),
        // RFC 2781 §4.3: big-endian without a byte order mark.
        (.utf16BigEndian, ["utf16", "utf16be"]),
        (.utf16LittleEndian, ["utf16le"]),
        (.utf32BigEndian, ["utf32", "utf32be"]),
        (.utf32LittleEndian, ["utf32le"]),
        (.shiftJIS, ["shiftjis", "sjis", "windows31j", "cp932"]),
        (.japaneseEUC, ["eucjp"]),
        (.iso2022JP, ["iso2022jp"]),
        (.macOSRoman, ["macintosh", "macroman"]),
    ]

    private static let coreFoundationTable: [(UInt, [String])] = [
        (0x0204, ["iso88594", "latin4"]), (0x0205, ["iso88595", "cyrillic"]), (0x0207, ["iso88597", "greek"]),
        (0x0209, ["iso88599", "latin5"]), (0x020F, ["iso885915", "latin9"]), (0x0505, ["windows1255", "cp1255"]),
        (0x0506, ["windows1256", "cp1256"]), (0x0507, ["windows1257", "cp1257"]),
        // GB 18030 includes GB 2312 and GBK.
        (0x0632, ["gb18030", "gbk", "gb2312", "cp936"]), (0x0940, ["euckr", "ksc56011987"]),
        (0x0A02, ["koi8r"]), (0x0A03, ["big5"]),
    ]
}
