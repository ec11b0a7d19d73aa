// What `check` finds, and what it leaves alone.

import Foundation

func characters(_ text: String, _ part: Substring) {
    print(text.hasPrefix("<"), text == "<")  // found
    print(part.hasSuffix(">"))  // found
    print(text.contains("&"))  // found
    print(text.contains("&&"))  // found
    print(text.contains { "<>".contains($0) })  // found
    print(text.split(separator: ","))  // found
    print(part.split { $0 == "," })  // found
    print(text.firstIndex(of: "\"") as Any)  // found
    print(text.replacing("'", with: "''"))  // found
    print(text.replacingOccurrences(of: "'", with: "''"))  // found
    print(text.components(separatedBy: "\r\n"))  // found
    print(text.trimmingCharacters(in: .whitespaces))  // found
    print(text.range(of: "://") as Any)  // found
    print(text.prefix { $0 != "#" })  // found
    print(text.dropFirst(), text.first as Any)  // found
    print(text.map { $0 == "<" ? "&lt;" : String($0) }.joined())  // found
    print(text.allSatisfy(\.isNewline))  // found
    print(text.count, Array(text))  // found
    for character in text {
        switch character {
        case "<": print("&lt;")  // found
        default: print(character)
        }
    }
    print(text.reduce(into: "") { $0.append($1 == "<" ? "x" : $1) })  // found
}

func equality(_ text: String, _ other: String?, _ part: Substring, _ names: Set<String>) {
    print(text == part, part == part)  // found
    print(other != text)  // found
    print([text].contains { $0 == text })  // found
    print(names.contains(text))  // found
    print([text].firstIndex(of: text) as Any)  // found
    print(text == "a", other == "a", other == nil, ["a", "b"].contains(text), text.utf8.count == 1)
}

func scalarsAndBytes(_ text: String, _ bytes: [UInt8], _ data: Data) {
    print(text.utf8.starts(with: "<".utf8), text.utf8.count, text.isEmpty)
    print(text.unicodeScalars.split(separator: ","), text.unicodeScalars.first == "<")
    print(bytes.first as Any, bytes.count, bytes.contains(0x3C), data.prefix(3), data.dropFirst())
    print(["a", "b"].contains(text), ["a"].first as Any, [text].map { $0.utf8.count })
    print(String(text.unicodeScalars.prefix { $0 != "#" }), text.utf8.firstRange(of: "://".utf8) as Any)
}
