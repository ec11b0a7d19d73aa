import Foundation
import HTTPChainSupport

/// One of the resources of a simulated server: how long it is, who may read it, and how long it may be kept.
struct SimulatedThing: Sendable {
    /// How many there are at an origin.
    static let count = 14

    let number: Int

    static func any(_ random: SeededRandom) -> SimulatedThing {
        SimulatedThing(number: Int(random.next() % UInt64(count)))
    }

    /// Whether it is another one for each user, who has to prove who it is.
    var isPrivate: Bool { number % 7 >= 5 }
    /// Whether it is another one for each language.
    var hasLanguages: Bool { number % 7 == 3 }
    /// Whether it has a coding for those who accept it.
    var isCoded: Bool { number % 2 == 0 }

    /// The `Cache-Control` of the answer; nil where the server says nothing.
    var cacheControl: String? {
        switch number % 7 {
        case 0, 3: "max-age=30"
        case 1: "no-cache"
        case 2: "no-store"
        case 5: "private, max-age=20"
        default: nil
        }
    }

    /// Its content in one version.
    ///
    /// The first line names everything that it depends on, so that a reader can tell what it should have got; the rest
    /// follows from the first line.
    func content(version: String, language: String, user: String, origin: String) -> Data {
        let line = "thing \(number) version \(version) language \(language) user \(user) of \(origin)\n"
        let length = [0, 2, 40, 900][number % 4]
        return Data((line + String(repeating: line.uppercased(), count: length)).utf8)
    }

    /// The version that a content is of; nil when it is no content of this thing for that reader.
    func version(of content: Data, language: String, user: String, origin: String) -> String? {
        let first = content.prefix { $0 != UInt8(ascii: "\n") }
        let words = String(decoding: first, as: UTF8.self).pieces(at: " ")
        guard words.count > 3 else { return nil }
        let version = String(words[3])
        let expected = self.content(version: version, language: language, user: user, origin: origin)
        return content == expected ? version : nil
    }
}
