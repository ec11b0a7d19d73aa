/// Where a receiver takes records.
enum LogEndpoint {
    /// The path after the URL of the receiver; a URL that already ends with it is left alone.
    static func url(_ base: String, path: String) -> String {
        var base = Substring(base)
        while base.last == "/" { base.removeLast() }
        return base.hasSuffix(path) ? String(base) : base + path
    }
}
