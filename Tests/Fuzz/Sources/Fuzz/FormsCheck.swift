import Foundation
import HTTPChainCore
import HTTPChainSerializer

/// The first byte chooses the style, the rest is a value, written as a form and as a query.
///
/// Whatever is written is read back as the value it was: decode(encode(x)) == x in every style. The input itself, read
/// as a form, is a value or an error.
func checkForms(_ input: Input) -> Int32 {
    guard let first = input.bytes.first else { return 0 }
    let style = style(Int(first))
    let form = BuiltInSerializer.form(style)
    let rest = Data(input.bytes.dropFirst())
    _ = try? form.decode(FuzzedForm.self, from: rest, contentType: nil)
    _ = try? form.decode([String: [String: String]].self, from: rest, contentType: nil)

    let value = FuzzedForm(rest)
    do {
        let written = try form.encode(value, contentType: form.contentType)
        require(written.allSatisfy(isURIByte), "wrote \(String(decoding: written, as: UTF8.self))")
        let read = try form.decode(FuzzedForm.self, from: written, contentType: nil)
        require(read == value, "\(style): \(value) came back as \(read)")
        let query = try style.encode(value)
        let again = try form.decode(FuzzedForm.self, from: Data(query.utf8), contentType: nil)
        require(again == value, "\(style): \(value) came back from a query as \(again)")
    } catch is EncodingError {
        // By bytes: a mark behind a pipe makes another character of it.
        let holdsPipe = (value.texts + value.map.values + value.members.flatMap(\.texts)).contains {
            $0.utf8.contains(UInt8(ascii: "|"))
        }
        require(arrays(Int(first)) == .pipes && holdsPipe, "\(value) cannot be written")
    } catch {
        require(false, "\(style): \(value) cannot be read: \(error)")
    }
    return 0
}

private func arrays(_ number: Int) -> ParameterEncoder.Arrays {
    let arrays: [ParameterEncoder.Arrays] = [.repeated, .brackets, .indexed, .commas, .pipes, .rack]
    return arrays[number % 6]
}

private func style(_ number: Int) -> ParameterEncoder {
    let keys: [ParameterEncoder.Keys] = [.asIs, .snakeCase, .kebabCase, .custom { $0.uppercased() }]
    return ParameterEncoder(
        arrays: arrays(number),
        keys: keys[number / 6 % 4],
        nesting: number & 1 == 0 ? .brackets : .dots,
        nils: number & 2 == 0 ? .omitted : .empty,
        booleans: number & 4 == 0 ? .words : .digits,
        dates: number & 8 == 0 ? .iso8601 : .millisecondsSince1970,
        spaces: number & 16 == 0 ? .automatic : .plus,
        keepsBrackets: number & 32 != 0
    )
}

/// A value of all shapes that leave a trace: no empty list, no empty optional text.
private struct FuzzedForm: Codable, Equatable {
    struct Member: Codable, Equatable {
        var isNew: Bool
        var texts: [String]
    }

    var firstText: String
    var number: Int
    var ratio: Double
    var since: Date
    var none: Int?
    var texts: [String]
    var members: [Member]
    var map: [String: String]

    init(_ bytes: Data) {
        var texts = bytes.split(separator: 0x0A, maxSplits: 5, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        if texts.isEmpty { texts = [""] }
        let first = texts[0]
        firstText = first
        number = bytes.reduce(0) { $0 &* 31 &+ Int($1) }
        ratio = Double(number) / 7
        since = Date(timeIntervalSince1970: Double(abs(number % 1_000_000_000)))
        self.texts = texts
        members = texts.map { Member(isNew: $0.utf8.count.isMultiple(of: 2), texts: [$0, first]) }
        // A name cannot tell delimiters that it holds from those of the style.
        map = Dictionary(texts.map { (Self.key($0), $0) }) { first, _ in first }
    }

    private static func key(_ text: String) -> String {
        "k" + String(text.unicodeScalars.filter { !"[].".unicodeScalars.contains($0) })
    }
}
