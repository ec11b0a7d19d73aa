import Foundation
import HTTPChainSupport

/// A resource of a simulated server, with its length, its readers, and its caching.
struct SimulatedThing: Sendable {
    /// The number of things at an origin.
    static let count = 14

    let number: Int

    static func any(_ random: SeededRandom) -> SimulatedThing {
        SimulatedThing(number: Int(random.next() % UInt64(count)))
    }

    /// Whether it differs for each user, and so requires authentication.
    var isPrivate: Bool { number % 7 >= 5 }
    /// Whether it differs for each language.
    var hasLanguages: Bool { number % 7 == 3 }
    /// Whether it is available with a content coding.
    var isCoded: Bool { number % 2 == 0 }

    /// The `Cache-Control` of the response; nil if there is none.
    var cacheControl: String? {
        switch number % 7 {
        case 0, 3: "max-age=30"
        case 1: "no-cache"
        case 2: "no-store"
        case 5: "private, max-age=20"
        default: nil
        }
    }

    /// Returns the content of one version.
    ///
    /// The first line names everything that the content depends on, so that a reader can check it. The other lines are
    /// derived from the first.
    func content(version: String, language: String, user: String, origin: String) -> Data {
        let line = "thing \(number) version \(version) language \(language) user \(user) of \(origin)\n"
        let length = [0, 2, 40, 900][number % 4]
        return Data((line + String(repeating: line.uppercased(), count: length)).utf8)
    }

    /// Returns the version of the content, or nil if it isn't the content of this thing for that reader.
    func version(of content: Data, language: String, user: String, origin: String) -> String? {
        let first = content.prefix { $0 != UInt8(ascii: "\n") }
        let words = String(decoding: first, as: UTF8.self).pieces(at: " ")
        guard words.count > 3 else { return nil }
        let version = String(words[3])
        let expected = self.content(version: version, language: language, user: user, origin: origin)
        return content == expected ? version : nil
    }
}
