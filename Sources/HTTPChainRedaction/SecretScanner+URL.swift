import HTTPChainSupport

extension SecretScanner {
    /// Whether an index is in the path of a URL, before its query and its fragment.
    func isInPath(_ position: Int) -> Bool {
        guard let url else { return false }
        return position <= url.queryStart
    }

    /// Starts scanning text that is a whole URL or reference.
    mutating func enterReference() {
        // An authority follows only if there is a scheme's colon before any delimiter.
        let delimiter = bytes.firstIndex { ByteSet.authorityEnds.contains($0) } ?? bytes.count
        if bytes[delimiter...].starts(with: "//".utf8), delimiter == 0 || bytes[delimiter - 1] == UInt8(ascii: ":") {
            enter(authorityAt: delimiter + 2, end: bytes.count, level: 0)
        } else {
            enterPath(at: 0, end: bytes.count, level: 0)
        }
    }

    /// Enters the URL whose scheme ends with the colon at the index; does nothing if no authority follows.
    mutating func enterURL(_ colon: SecretUnit) {
        var position = index + colon.length
        for _ in 0..<2 {
            guard position < bytes.count else { return }
            let slash = reading(at: position)
            guard slash.byte == UInt8(ascii: "/") else { return }
            position += slash.length
        }
        // The closure reads only the text, because a closure over the scanner would copy it.
        let end = text.end(of: .url(level: colon.level), from: position, near: near) { [text, mode] position in
            let unit = text.reading(at: position)
            if unit.byte.endsURL, unit.level <= colon.level, mode == .text || unit.level > 0 { return nil }
            if unit.byte == UInt8(ascii: "&"), unit.level < colon.level { return nil }
            return position + unit.length
        }
        enter(authorityAt: position, end: end, level: colon.level)
    }

    /// The number of positions that are searched before a table is used.
    ///
    /// It is 0 within a URL, where many other URLs may follow.
    private var near: Int { url == nil ? TextIndex.near : 0 }

    private mutating func enter(authorityAt start: Int, end: Int, level: Int) {
        var position = start
        var at: Int?
        var port: Int?
        var isBracketed = false
        while position < end {
            Steps.take()
            let unit = reading(at: position)
            if ByteSet.authorityEnds.contains(unit.byte) { break }
            if unit.byte == UInt8(ascii: "&"), unit.level <= level, level > 0 { break }
            switch unit.byte {
            case UInt8(ascii: "@"): (at, port) = (position, nil)
            case UInt8(ascii: ":"): port = position + unit.length
            case UInt8(ascii: "["): isBracketed = true
            default: break
            }
            position += unit.length
        }
        let authorityEnd = position
        if at == nil, !isBracketed, let port, bytes[port..<authorityEnd].contains(where: { !$0.isDigit }) {
            // This isn't a port. A password may contain a slash, although it shouldn't.
            let next = text.first(.at, from: authorityEnd).flatMap { $0 < end ? $0 : nil }
            at = next ?? (isCutOff && end == bytes.count ? end : nil)
        }
        if let at {
            redact(start..<at)
        } else if isCutOff, authorityEnd == bytes.count {
            // The apparent host may be user information whose end was cut off.
            redact(start..<authorityEnd)
        }
        index = max(authorityEnd, at ?? authorityEnd)
        enterPath(at: index, end: end, level: level)
    }

    /// Finds the segments of a path that look like keys, and the beginning of the query and the fragment.
    private mutating func enterPath(at start: Int, end: Int, level: Int) {
        var keys: [Range<Int>] = []
        let query = min(
            text.end(of: .path(level: level), from: start, near: min(near, 4)) { [text, bytes, isCutOff] segment in
                func isKey(_ segment: Range<Int>) -> Bool {
                    Steps.take(segment.count)
                    return OpaqueKey.isLikely(
                        bytes[segment],
                        isCutOff: isCutOff && segment.upperBound == bytes.count
                    )
                }
                var position = segment
                while position < end {
                    Steps.take()
                    let unit = text.reading(at: position)
                    let isDelimiter = unit.level <= level
                    if isDelimiter, unit.byte == UInt8(ascii: "?") || unit.byte == UInt8(ascii: "#") { break }
                    if isDelimiter, ByteSet.pathDelimiters.contains(unit.byte) {
                        if isKey(segment..<position) { keys.append(segment..<position) }
                        return position + unit.length
                    }
                    position += unit.length
                }
                guard segment < min(position, end) else { return nil }
                let last = segment..<min(position, end)
                if isKey(last) { keys.append(last) }
                return last.upperBound
            },
            end
        )
        for key in keys { redact(key) }
        // A URL within the query of another doesn't replace the outer one.
        if url != nil, !isInPath(start) { return }
        let fragment = text.first(.hash, from: query, near: near).flatMap { $0 < end ? $0 : nil } ?? end
        url = URLPlace(end: end, queryStart: query, fragmentStart: fragment)
    }
}
