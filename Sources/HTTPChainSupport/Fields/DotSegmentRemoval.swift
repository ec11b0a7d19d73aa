/// Returns the path without its `.` and `..` segments, RFC 3986 §5.2.4.
///
/// Percent-encoded dots (`%2E`) also count as dots, as in browsers and most servers. Only slashes are separators.
package func removingDotSegments(from path: ArraySlice<UInt8>) -> [UInt8] {
    Steps.take(path.count)
    let slash = UInt8(ascii: "/")
    let segments = path.split(separator: slash, omittingEmptySubsequences: false)
    var kept: [ArraySlice<UInt8>] = []
    // `..` must not remove the empty segment before a leading slash.
    let floor = path.first == slash ? 1 : 0
    for (offset, segment) in segments.enumerated() {
        Steps.take()
        let dots = dotCount(of: segment)
        if dots == 2, kept.count > floor { kept.removeLast() }
        if dots == nil {
            kept.append(segment)
        } else if offset == segments.count - 1 {
            kept.append([])
        }
    }
    return Array(kept.joined(separator: [slash]))
}

/// Returns 1 for the segment `.`, 2 for `..`, and `nil` for others.
private func dotCount(of segment: ArraySlice<UInt8>) -> Int? {
    var rest = segment
    var count = 0
    while let first = rest.first {
        Steps.take()
        if first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
        } else if rest.starts(with: "%2e".utf8) || rest.starts(with: "%2E".utf8) {
            rest = rest.dropFirst(3)
        } else {
            return nil
        }
        count += 1
    }
    return (1...2).contains(count) ? count : nil
}
