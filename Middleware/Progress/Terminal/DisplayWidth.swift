import HTTPChainSupport

/// The estimated number of columns that text occupies in a terminal.
package enum DisplayWidth {
    /// Blocks of characters that are two columns wide: "W" and "F" in Unicode Standard Annex #11.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
        0x20000...0x3FFFD,
    ]

    package static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    package static func of(_ character: Character) -> Int {
        var width = 0
        for scalar in character.unicodeScalars {
            if scalar == "\u{FE0F}" || scalar.properties.isEmojiPresentation { return 2 }
            if wide.contains(where: { $0.contains(scalar.value) }) { return 2 }
            if !isInvisible(scalar) { width = 1 }
        }
        return width
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: true
        default: false
        }
    }

    /// Returns the text without characters that move the cursor, truncated to the width.
    ///
    /// A truncated text ends with "…".
    static func fitted(_ text: String, to width: Int) -> String {
        let clean = text.printable()
        if of(clean) <= width { return clean }
        var result = ""
        var used = 0
        for character in clean {
            let next = of(character)
            if used + next > width - 1 { break }
            result.append(character)
            used += next
        }
        return width > 0 ? result + "…" : ""
    }
}
