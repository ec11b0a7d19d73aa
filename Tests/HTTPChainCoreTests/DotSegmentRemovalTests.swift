import HTTPChainCore
import Testing

@Suite("Dot segments (RFC 3986 §5.2.4)")
struct DotSegmentRemovalTests {
    @Test(
        "Dot segments are removed, percent-encoded ones too",
        arguments: [
            ("/a/b/c/./../../g", "/a/g"), ("mid/content=5/../6", "mid/6"), ("", ""), ("/", "/"), ("/.", "/"),
            ("/..", "/"), ("/../..", "/"), ("/a/..", "/"), ("/a/.", "/a/"), ("/a//../b", "/a/b"), ("//..", "/"),
            ("/%2e/a/%2E%2e/b/.%2e/c", "/c"), ("/...", "/..."), ("/.a/..a/a.", "/.a/..a/a."),
            ("/..;x/.;y", "/..;x/.;y"),
            ("/a/%2", "/a/%2"), ("../a", "a"), ("./a", "a"),
        ]
    )
    func removed(path: String, expected: String) {
        #expect(String(decoding: removingDotSegments(from: Array(path.utf8)[...]), as: UTF8.self) == expected)
    }
}
