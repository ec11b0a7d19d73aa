import Testing

@Suite("Where a secret's value begins and ends in text")
struct RedactionValueTests {
    @Test(
        "The value of a credential's field is the rest of its line, or of the string around it",
        arguments: [
            ("Cookie2: a b; c=d", "Cookie2: <redacted>"),
            ("Set-Cookie: a b; c=d", "Set-Cookie: <redacted>"),
            ("Set-Cookie2: a b; c=d", "Set-Cookie2: <redacted>"),
            ("Authorization: a b c", "Authorization: <redacted>"),
            ("Proxy-Authorization: a b c", "Proxy-Authorization: <redacted>"),
            ("Authentication-Info: a b c", "Authentication-Info: <redacted>"),
            ("Proxy-Authentication-Info: a b c", "Proxy-Authentication-Info: <redacted>"),
            ("[Cookie]: a b c", "[Cookie]: <redacted>"),
            ("{Cookie: a b, c}", "{Cookie: <redacted>"),
            (#""Cookie": a b c"#, #""Cookie": "<redacted>" b c"#),
            ("?Cookie=a b&c", "?Cookie=<redacted> b&c"),
            (#"Cookie: a="b c" d" e"#, #"Cookie: <redacted>" e"#),
            (#"Cookie: a\"b" c"#, #"Cookie: <redacted>" c"#),
            (#"Cookie: a\\"b" c"#, #"Cookie: <redacted>"b" c"#),
            ("Cookie: a<b c", "Cookie: <redacted>"),
            ("Cookie: <p>a</p>b", "Cookie: <redacted></p>b"),
            ("Cookie: </b", "Cookie: <redacted>"),
            ("Cookie: a < b", "Cookie: <redacted>"),
            ("Cookie: (a\nb) c", "Cookie: <redacted> c"),
            ("Cookie: a\rb", "Cookie: <redacted>\rb"),
            (#"Cookie: a=""; b" c"#, #"Cookie: <redacted>" c"#),
        ]
    )
    func lines(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "What is assigned is told from what is only named",
        arguments: [
            ("password:\nkeep", "password:\nkeep"),
            ("pwd%253Dhunter2%2526a%26b", "pwd%253D<redacted>%2526a%26b"),
            ("password=>hunter2 a", "password=><redacted> a"),
            ("password:>hunter2 a", "password:<redacted> a"),
            ("password:=hunter2 a", "password:=<redacted> a"),
            ("password=:hunter2 a", "password=<redacted> a"),
            ("password::keep a", "password::keep a"),
            ("password =hunter2&x y", "password =<redacted> y"),
            ("token://keep/x", "token://keep/x"),
            ("token=//hunter2 a", "token=<redacted> a"),
            (#""token"://hunter2 a"#, #""token":"<redacted>" a"#),
            ("token :///hunter2 a", "token :<redacted> a"),
            ("password=<secret> a", "password=<secret> a"),
            ("password%20%3D%20hunter2 a", "password%20%3D<redacted> a"),
            (#"{\"password\"\n:\t\"hunter2\"}"#, #"{\"password\"\n:\t\"<redacted>\"}"#),
            (#""password":<secret>, "a":1"#, #""password":<secret>, "a":1"#),
            (#""password":<redacted>, "a":1"#, #""password":<redacted>, "a":1"#),
            ("token:hunter2&b c", "token:<redacted> c"),
            ("password=<hunter2 b", "password=<redacted> b"),
            ("password=<hunter2>a b", "password=<redacted> b"),
            ("password=<!hunter2 b", "password=<redacted> b"),
            ("password=hunter2<br> b", "password=<redacted><br> b"),
            ("?password=<hunter2&a=b", "?password=<redacted>&a=b"),
            ("<p>password=<b>hunter2</b></p>", "<p>password=<redacted></b></p>"),
            ("<td>password=</td><td>keep</td>", "<td>password=</td><td>keep</td>"),
            (#"x password\n: keep"#, #"x password\n: keep"#),
            (#""password"\\~: keep"#, #""password"\\~: keep"#),
            (#"{"a":"x password\n: keep"}"#, #"{"a":"x password\n: keep"}"#),
        ]
    )
    func separators(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "A quoted value ends at the same quote, and what is escaped within it belongs to it",
        arguments: [
            (#"?password%3D"hunter2"a b"#, #"?password%3D"hunter2"a b"#),
            (#"?password="hunter2%22 a"b c"#, #"?password="<redacted>"b c"#),
            (#"password=%22hunter2 a" b%22 c"#, #"password=%22<redacted>" b%22 c"#),
            ("password=&quot;hunter2&#34; b", "password=&quot;<redacted>&#34; b"),
            ("password=&#39;hunter2' a&#39; b", "password=&#39;<redacted>&#39; b"),
            (#"password="""#, #"password="""#),
            (#"password="hunter2\\" a" b"#, #"password="<redacted>" a" b"#),
            (#"password="hunter2\\\" a" b"#, #"password="<redacted>" b"#),
            (#"password="hunter2\/" b"#, #"password="<redacted>" b"#),
            (#"password=\"hunter2" b"#, #"password=\"<redacted>" b"#),
            (#"\u0022password\u0022:\u0022hunter2\u0022 a"#, #"\u0022password\u0022:\u0022<redacted>\u0022 a"#),
            (
                #"{"q":"{\u0022password\u0022:\u0022hunter2\u0022,\u0022a\u0022:1}"}"#,
                #"{"q":"{\u0022password\u0022:\u0022<redacted>\u0022,\u0022a\u0022:1}"}"#
            ),
            (
                #"\u0022name\u0022:\u0022password\u0022,\u0022value\u0022:\u0022hunter2\u0022 a"#,
                #"\u0022name\u0022:\u0022password\u0022,\u0022value\u0022:\u0022<redacted>\u0022 a"#
            ),
            (
                #"\u0027name\u0027:\u0027password\u0027,\u0027value\u0027:\u0027hunter2\u0027 a"#,
                #"\u0027name\u0027:\u0027password\u0027,\u0027value\u0027:\u0027<redacted>\u0027 a"#
            ),
            (
                "&#x22;name&#x22;:&#x22;password&#x22;,&#x22;value&#x22;:&#x22;hunter2&#x22;",
                "&#x22;name&#x22;:&#x22;password&#x22;,&#x22;value&#x22;:&#x22;<redacted>&#x22;"
            ),
            (
                "&apos;name&apos;:&apos;password&apos;,&apos;value&apos;:&apos;hunter2&apos;",
                "&apos;name&apos;:&apos;password&apos;,&apos;value&apos;:&apos;<redacted>&apos;"
            ),
            (
                "&#39;name&#39;:&#39;password&#39;,&#39;value&#39;:&#39;hunter2&#39;",
                "&#39;name&#39;:&#39;password&#39;,&#39;value&#39;:&#39;<redacted>&#39;"
            ),
            (
                "&#x27;name&#x27;:&#x27;password&#x27;,&#x27;value&#x27;:&#x27;hunter2&#x27;",
                "&#x27;name&#x27;:&#x27;password&#x27;,&#x27;value&#x27;:&#x27;<redacted>&#x27;"
            ),
            (#"{"password":"hunt\u0022er2","a":1}"#, #"{"password":"<redacted>","a":1}"#),
            (#"<input name="csrf_token" value="hunt&quot;er2">x"#, #"<input name="csrf_token" value="<redacted>">x"#),
            ("<input name='csrf_token' value='hunt&#39;er2'>x", "<input name='csrf_token' value='<redacted>'>x"),
            (#"{\"password\":\"hunt\\u0022er2\",\"a\":1}"#, #"{\"password\":\"<redacted>\",\"a\":1}"#),
            ("password=%22hunter2%2522a%22 b", "password=%22<redacted>%22 b"),
            ("password=&quot;hunter2%22a&quot; b", "password=&quot;<redacted>&quot; b"),
        ]
    )
    func quotes(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "Words that stand for no value are none, and brackets belong to a value whole",
        arguments: [
            ("token: null)", "token: null)"),
            ("token: null/x", "token: <redacted>"),
            ("token = undefined; a", "token = undefined; a"),
            ("token: what", "token: what"),
            ("token: what~ a", "token: <redacted> a"),
            ("token = what a", "token = <redacted> a"),
            ("token:what a", "token:<redacted> a"),
            ("secret: ~a b~ c", "secret: <redacted> b~ c"),
            (#""secret":{"a":[1,"]"]} c"#, #""secret":"<redacted>" c"#),
            (#""secret":12~"a":1"#, #""secret":"<redacted>""#),
            (#""secret":}"#, #""secret":}"#),
            (#"secret=Optional("a b")c&d e"#, "secret=<redacted>&d e"),
            ("{'secret': {'a': '}hunter2'}, 'b': 1}", "{'secret': '<redacted>', 'b': 1}"),
            (#"{'secret': {'a': "it's}", 'b': '}hunter2'}, 'c': 1}"#, "{'secret': '<redacted>', 'c': 1}"),
            (#"{"secret": [it's, "]", 1], "b": 1}"#, #"{"secret": "<redacted>", "b": 1}"#),
            ("secret: {a '}' b} c", "secret: <redacted> c"),
            (#"secret: Optional("a b"#, "secret: <redacted>"),
            ("secret: Optional(a b", "secret: <redacted>"),
            ("secret: f(a b) c", "secret: <redacted> c"),
            (#"secret: {a"}"} c"#, "secret: <redacted> c"),
        ]
    )
    func brackets(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "An option of a command line has its value behind it",
        arguments: [
            ("--password hunter2 a", "--password <redacted> a"),
            (#"--password "hunter2 x" a"#, #"--password "<redacted>" a"#),
            ("--password 'hunter2 x' a", "--password '<redacted>' a"),
            (#"--password "" a"#, #"--password "" a"#),
            ("--password -a", "--password -a"),
            ("--password .a b", "--password <redacted> b"),
            ("--password\thunter2", "--password\t<redacted>"),
            ("--password", "--password"),
            ("--password ", "--password "),
            ("--password \nkeep", "--password \nkeep"),
            ("--password\nkeep", "--password\nkeep"),
            ("--password,keep", "--password,keep"),
            ("-password hunter2 a", "-password <redacted> a"),
            ("password hunter2 a", "password hunter2 a"),
            ("--password Bearer hunter2 a", "--password <redacted> a"),
            ("--password hunter2, a", "--password <redacted>, a"),
            ("--password=hunter2 a", "--password=<redacted> a"),
            ("--password=<redacted> a", "--password=<redacted> a"),
        ]
    )
    func options(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "A value without quotes ends where a sentence, a pair or a tag does",
        arguments: [
            ("token: hunter2<", "token: <redacted>"),
            ("token: <b>hunter2</b> a", "token: <redacted></b> a"),
            ("token: x Bearer a", "token: <redacted> Bearer <redacted>"),
            ("token: , a", "token: , a"),
            ("token: ,", "token: ,"),
            ("token: ,hunter2 a", "token: <redacted> a"),
            ("token: a, b", "token: a, b"),
            ("token: )]}'", "token: )]}'"),
            ("token=a)", "token=<redacted>)"),
            ("token=a#b", "token=<redacted>"),
            ("token=a&amp;b", "token=<redacted>&amp;b"),
            ("token=a&lt;b> c", "token=<redacted> c"),
            ("<a ~ token=hunter2>b", "<a ~ token=<redacted>>b"),
            ("<a token=hunter2&gt;b>c", "<a token=<redacted>>c"),
            ("(token=(hunter2)) a", "(token=<redacted>)) a"),
            ("https://a.example/?token=hunter2) a", "https://a.example/?token=<redacted> a"),
            ("https://a.example/#token=hunter2#f a", "https://a.example/#token=<redacted> a"),
            ("https://a.example/x;token=hunter2~b a", "https://a.example/x;token=<redacted> a"),
            ("token: hunter2<!--a--> b", "token: <redacted><!--a--> b"),
            ("token: hunter2<b> a", "token: <redacted><b> a"),
            ("token: Bearer Bearer hunter2 a", "token: <redacted> hunter2 a"),
            ("token: Bearer \nkeep", "token: <redacted>\nkeep"),
        ]
    )
    func ends(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "A name is one whatever it is spelled with, and only where it stands alone",
        arguments: [
            (#"\notp=hunter2 a"#, #"\notp=<redacted> a"#),
            ("pwd=hunter2 notp=keep", "pwd=<redacted> notp=keep"),
            ("pwd=hunter2 &code=hunter3", "pwd=<redacted> &code=<redacted>"),
            ("https://a.example/?b,code=hunter2 a", "https://a.example/?b,code=<redacted> a"),
            ("session.: hunter2", "session.: <redacted>"),
            ("a[session].x: keep", "a[session].x: <redacted>"),
            ("token.a: keep", "token.a: keep"),
            (#""token.a": "hunter2""#, #""token.a": "<redacted>""#),
            ("?token.a=hunter2", "?token.a=<redacted>"),
            ("pass%77ord=hunter2 a", "pass%77ord=<redacted> a"),
            ("ApiKey a1bcd", "ApiKey a1bcd"),
            ("negotiate terms on", "negotiate terms on"),
            ("Negotiate a1bcdefg on", "Negotiate <redacted> on"),
            ("token works on", "token works on"),
            ("Digest works on", "Digest works on"),
            ("pass%77%6Frd=hunter2 a", "pass%77%6Frd=<redacted> a"),
            ("pa%73s%77%6Frd=hunter2 a", "pa%73s%77%6Frd=<redacted> a"),
        ]
    )
    func names(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }
}
