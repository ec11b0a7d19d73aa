import Foundation
import HTTPChainCore
import Testing

@Suite("Redaction of markup and of names beside values")
struct RedactionMarkupTests {
    @Test(
        "The content of an element goes on to its own end",
        arguments: [
            ("<s:auth>hunter2</s:auth>", "<s:auth><redacted></s:auth>"),
            ("<s:sid;1 x", "<s:sid;1 x"),
            ("&lt;secret>hunter2", "&lt;secret><redacted>"),
            ("<token:hunter2> a", "<token:<redacted> a"),
            ("&lt;token>hunter2&lt;/token>", "&lt;token><redacted>&lt;/token>"),
            (#"<token pwd="hunter2">x</token>a"#, #"<token pwd="<redacted>"><redacted></token>a"#),
            (#"<token x="1" pwd=hunter2 b"#, #"<token x="1" pwd=<redacted> b"#),
            ("<token>", "<token>"),
            ("<token></token>a", "<token></token>a"),
            ("<token>hunter2<token>a</token>b</token>c", "<token><redacted></token>c"),
            ("<token>hunter2<tokens>a</token>c", "<token><redacted></token>c"),
            ("<token>hunter2</tokens>a</token>c", "<token><redacted></token>c"),
            ("<token>hunter2<token.x>a</token>c", "<token><redacted></token>c"),
            ("<token>hunter2<", "<token><redacted>"),
            ("<token a=1<b>c", "<token a=1<b>c"),
            ("<token/>a", "<token/>a"),
            ("<token /> pwd=hunter2", "<token /> pwd=<redacted>"),
            ("< sid>a", "< sid>a"),
            ("<>sid>a", "<>sid>a"),
            ("<", "<"),
            ("pwd=hunter2 <", "pwd=<redacted> <"),
            ("pwd=hunter2 <s:", "pwd=<redacted> <s:"),
        ]
    )
    func elements(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "A value is looked for in the same tag, the same brackets or on the same line as its name",
        arguments: [
            (#"<a.b name="password">hunter2</a.b>a"#, #"<a.b name="password"><redacted></a.b>a"#),
            (#"<a~b name="password">hunter2</a>a"#, #"<a~b name="password"><redacted></a>a"#),
            (#"< name="password">hunter2</a>"#, #"< name="password">hunter2</a>"#),
            (#"<a name="password">hunter2<b/></a>c"#, #"<a name="password"><redacted></a>c"#),
            (
                #"<input name="csrf_token" ? value="hunter2">x value="y""#,
                #"<input name="csrf_token" ? value="<redacted>">x value="y""#
            ),
            (
                "&quot;name&quot;:&quot;password&quot;,&quot;value&quot;:&quot;hunter2&quot;",
                "&quot;name&quot;:&quot;password&quot;,&quot;value&quot;:&quot;<redacted>&quot;"
            ),
            (
                "&#34;name&#34;:&#34;password&#34;,&#34;value&#34;:&#34;hunter2&#34;",
                "&#34;name&#34;:&#34;password&#34;,&#34;value&#34;:&#34;<redacted>&#34;"
            ),
            (
                "%22name%22%3A%20%22password%22%2C%22value%22%3A%22hunter2%22",
                "%22name%22%3A%20%22password%22%2C%22value%22%3A%22<redacted>%22"
            ),
            (
                "%22name%22%7E%22password%22%2C%22value%22%3A%22hunter2%22",
                "%22name%22%7E%22password%22%2C%22value%22%3A%22hunter2%22"
            ),
            (#""name"~"password","value"="hunter2""#, #""name"~"password","value"="hunter2""#),
            ("=password value=hunter2", "=password value=hunter2"),
            (
                #"\u0022name\u0022:\u0022password\u0022,\u0022value\u0022:\u0022hunter2\u0022"#,
                #"\u0022name\u0022:\u0022password\u0022,\u0022value\u0022:\u0022<redacted>\u0022"#
            ),
            (#"\name=password value=hunter2"#, #"\name=password value=<redacted>"#),
            ("v=hunter2 name=password", "v=<redacted> name=password"),
            (
                #"{"v":"keep"},{"v":"hunter2","a":{"b":(1)},"name":"password"},{"v":"keep"}"#,
                #"{"v":"keep"},{"v":"<redacted>","a":{"b":(1)},"name":"password"},{"v":"keep"}"#
            ),
            (
                #"(name: "password", a: [f(x), 1], v: "hunter2") v: "keep""#,
                #"(name: "password", a: [f(x), 1], v: "<redacted>") v: "keep""#
            ),
            (
                #""v":"hunter2" ~ "name":"password" ~ "v":"hunter2""#,
                #""v":"<redacted>" ~ "name":"password" ~ "v":"<redacted>""#
            ),
            (
                #"{"v":"keep","x":{ ~ "name":"password" ~ "v":"hunter2"},"v":"keep"}"#,
                #"{"v":"keep","x":{ ~ "name":"password" ~ "v":"<redacted>"},"v":"keep"}"#
            ),
            (
                #"{"name":"data","name":"password","data":"hunter2"}"#,
                #"{"name":"data","name":"password","data":"<redacted>"}"#
            ),
            (
                #"{"name":"password","values":"keep","xvalue":"keep","stringValue":"hunter2"}"#,
                #"{"name":"password","values":"keep","xvalue":"keep","stringValue":"<redacted>"}"#
            ),
            (
                #"{"type":"password","id":"a","text":{"b":"hunter2"},"c":1}"#,
                #"{"type":"password","id":"a","text":"<redacted>","c":1}"#
            ),
            (
                #"{"kind":"form-data","id":"password","value":"hunter2"}"#,
                #"{"kind":"form-data","id":"password","value":"<redacted>"}"#
            ),
            ("{v: hunter2, name: password}", "{v: <redacted>, name: password}"),
        ]
    )
    func besideNames(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test("A value is looked for up to 1,024 bytes before and after its name, and up to 2,048 into its tag")
    func reach() {
        func padding(_ count: Int) -> String { String(repeating: " ", count: count) }
        for (text, isFound) in [
            ("v=hunter2" + padding(1015) + "name=password", true),
            ("v=hunter2" + padding(1016) + "name=password", false),
            ("name=password" + padding(1023) + "v=hunter2", true),
            ("name=password" + padding(1024) + "v=hunter2", false),
            ("<x name=\"password\"" + padding(2029) + "v=\"hunter2\">", true),
            ("<x name=\"password\"" + padding(2030) + "v=\"hunter2\">", false),
            ("<x" + padding(1022) + "name=\"password\">hunter2</x>", true),
            ("<x" + padding(1023) + "name=\"password\">hunter2</x>", false),
            ("form-data;" + padding(1014) + "name=\"password\"\n\nhunter2", true),
            ("form-data;" + padding(1015) + "name=\"password\"\n\nhunter2", false),
        ] {
            let expected = isFound ? text.replacingOccurrences(of: "hunter2", with: "<redacted>") : text
            #expect(redacted(text) == expected, "\(text.utf8.count)")
        }
        for (count, isFound) in [(1017, true), (1018, false)] {
            #expect(
                redacted("<" + padding(count) + "token=hunter2>b").hasSuffix(isFound ? "<redacted>>b" : "<redacted>")
            )
        }
    }

    @Test("Of many names in a row, each has its value found", arguments: [1, 10, 100, 200, 500, 900, 1010])
    func manyNames(distance: Int) {
        let between = String(repeating: " ", count: distance)
        let pairs = String(repeating: "name=password\(between)v=hunter2 ", count: 40)
        #expect(redacted(pairs) == pairs.replacingOccurrences(of: "hunter2", with: "<redacted>"))
        let apart =
            "name=password v=hunter2 " + String(repeating: "x ", count: 300) + "name=password\(between)v=hunter2"
        #expect(redacted(apart) == apart.replacingOccurrences(of: "hunter2", with: "<redacted>"))
        let braced = String(repeating: "{name=password\(between)v=hunter2} {name=a\(between)v=b} ", count: 40)
        #expect(redacted(braced) == braced.replacingOccurrences(of: "hunter2", with: "<redacted>"))
        let nested = "{" + String(repeating: "name=password\(between){v=hunter2} ", count: 40) + "}"
        #expect(redacted(nested) == nested.replacingOccurrences(of: "hunter2", with: "<redacted>"))
    }

    @Test(
        "In a property list the value is the next element",
        arguments: [
            ("<key>password</key><string>hunter2</string>a", "<key>password</key><string><redacted></string>a"),
            ("<key>password</key> <string>hunter2</string>a", "<key>password</key> <string><redacted></string>a"),
            ("<key>password</key>\n<string>hunter2</string>a", "<key>password</key>\n<string><redacted></string>a"),
            ("<k>password</key><string>keep</string>", "<k>password</key><string>keep</string>"),
            ("<key>password<b/><string>keep</string>", "<key>password<b/><string>keep</string>"),
            ("<key>password</key>xstring>keep</string>", "<key>password</key>xstring>keep</string>"),
            ("<key>password</key>", "<key>password</key>"),
            ("<key>password</key><", "<key>password</key><"),
            ("<key>password</key></dict>keep", "<key>password</key></dict>keep"),
            ("<key>password<b />x<string>keep</string>", "<key>password<b />x<string>keep</string>"),
        ]
    )
    func propertyLists(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "A part of a form goes on to the next delimiter, also where its line ends were lost",
        arguments: [
            ("form-data; name=\"password\"\n\nhunter2\n--b", "form-data; name=\"password\"\n\n<redacted>\n--b"),
            (
                "content-disposition: FORM-DATA; name=\"password\"\n\nhunter2\n--b",
                "content-disposition: FORM-DATA; name=\"password\"\n\n<redacted>\n--b"
            ),
            ("form-data; name=\"password\"\n\nhunter2", "form-data; name=\"password\"\n\n<redacted>"),
            (
                "form-data; name=\"password\"\n\nhunter2\nhunter3\n--b\nkeep",
                "form-data; name=\"password\"\n\n<redacted>\n--b\nkeep"
            ),
            (
                "form-data; name=\"password\"\n\nhunter2\r\n--b\r\nkeep",
                "form-data; name=\"password\"\n\n<redacted>\r\n--b\r\nkeep"
            ),
            ("form-data; name=\"password\"\r\n\r\nhunter2 --b keep", "form-data; name=\"password\"\r\n\r\n<redacted>"),
            (
                "form-data; name=\"password\"\r\nContent-Type: text/plain\r\n\r\nhunter2\r\n--b",
                "form-data; name=\"password\"\r\nContent-Type: text/plain\r\n\r\n<redacted>\r\n--b"
            ),
            ("form-data; name=\"password\"\n\n\n--b", "form-data; name=\"password\"\n\n\n--b"),
            ("form-data; name=\"password\"\n\n hunter2\n--b", "form-data; name=\"password\"\n\n<redacted>\n--b"),
            ("form-data; name=\"password\"\r", "form-data; name=\"password\"\r"),
            ("form-data; name=\"password\"\r\n", "form-data; name=\"password\"\r\n"),
            (#"form-data; name="password"\"#, #"form-data; name="password"\"#),
            (#"form-data; name="password""#, #"form-data; name="password""#),
            (#"form-data; name="password" "#, #"form-data; name="password" "#),
            (
                "form-data; name=\"password\" \r\n\r\nhunter2\r\n--b",
                "form-data; name=\"password\" \r\n\r\n<redacted>\r\n--b"
            ),
            (#"form-data; name="password" hunter2 --b keep"#, #"form-data; name="password" <redacted> --b keep"#),
            ("form-data; name=\"password\" hunter2\nkeep", "form-data; name=\"password\" <redacted>\nkeep"),
            ("form-data; name=\"password\" hunter2 -b a--b\nkeep", "form-data; name=\"password\" <redacted>\nkeep"),
            ("form-data; name=\"password\"\thunter2\t--b keep", "form-data; name=\"password\"\t<redacted>\t--b keep"),
            (
                #"form-data; name="password"; filename="a b;c" hunter2 --b keep"#,
                #"form-data; name="password"; filename="a b;c" <redacted> --b keep"#
            ),
            (
                #"form-data; name="password"; filename=a.txt hunter2 --b keep"#,
                #"form-data; name="password"; filename=a.txt <redacted> --b keep"#
            ),
            (
                #"form-data; name="password";filename=a.txt;x=1 hunter2 --b keep"#,
                #"form-data; name="password";filename=a.txt;x=1 <redacted> --b keep"#
            ),
            (
                #"form-data; name="password" ; filename=a.txt hunter2 --b keep"#,
                #"form-data; name="password" ; filename=a.txt <redacted> --b keep"#
            ),
            (#"form-data; name="password"; filename="a b"#, #"form-data; name="password"; filename="a b"#),
            (#"form-data; name="password"; filename="a b""#, #"form-data; name="password"; filename="a b""#),
            (#"form-data; name="password"; a"#, #"form-data; name="password"; a"#),
            (#"form-data; name="password";"#, #"form-data; name="password";"#),
            ("form-data; name=\"password\";\nhunter2", "form-data; name=\"password\";\nhunter2"),
            ("form-data; name=password hunter2 --b keep", "form-data; name=password <redacted> --b keep"),
            ("form-data; name=password", "form-data; name=password"),
            (#"form-data; name="password":hunter2"#, #"form-data; name="password":"<redacted>""#),
            ("attachment; name=\"password\"\n\nkeep\n--b", "attachment; name=\"password\"\n\nkeep\n--b"),
            ("form-datum; name=\"password\"\n\nkeep\n--b", "form-datum; name=\"password\"\n\nkeep\n--b"),
            ("form-data\nx; name=\"password\"\n\nkeep\n--b", "form-data\nx; name=\"password\"\n\nkeep\n--b"),
            ("form-data; id=\"password\"\n\nkeep\n--b", "form-data; id=\"password\"\n\nkeep\n--b"),
            (
                #"{"q":"form-data; name=\"password\"\n\nhunter2\n--b keep"}"#,
                #"{"q":"form-data; name=\"password\"\n\n<redacted>\n--b keep"}"#
            ),
            (#"{"q":"form-data; name=\"password\"\n\nkeep"}"#, #"{"q":"form-data; name=\"password\"\n\n<redacted>"#),
            (
                #"form-data; name="password";"a b" hunter2 --b keep"#,
                #"form-data; name="password";"a b" <redacted> --b keep"#
            ),
            ("form-data; name=\"password\";\n hunter2 --b", "form-data; name=\"password\";\n hunter2 --b"),
            (
                #"form-data; name="password";a; filename="x y" hunter2 --b keep"#,
                #"form-data; name="password";a; filename="x y" <redacted> --b keep"#
            ),
            (#"form-data; name="password" hunter2"#, #"form-data; name="password" <redacted>"#),
        ]
    )
    func parts(_ text: String, _ expected: String) {
        #expect(redacted(text) == expected)
    }
}
