import HTTPChainCore
import Testing

@Suite("The fragment of a request's URL")
struct FragmentTests {
    @Test(
        "A fragment is kept beside the target, without its number sign",
        arguments: [
            ("https://a.example/b?c#d", "https://a.example/b?c", "d"), ("https://a.example#", "https://a.example/", ""),
            ("a#b#c", "a", "b#c"), ("a", "a", nil), ("a{#section}", "a{#section}", nil),
        ]
    )
    func kept(url: String, target: String, fragment: String?) {
        let request = Request.get(url)
        #expect(request.url == target)
        #expect(request.fragment == fragment)
        #expect(request.options.names.isEmpty == (fragment == nil))
    }

    @Test("Another URL brings its own fragment, or none")
    func replaced() {
        var request = Request.get("https://a.example/b#c")
        request.url = "https://a.example/d#e"
        #expect(request.fragment == "e")
        request.url = "https://a.example/f"
        #expect(request.fragment == nil)
    }
}
