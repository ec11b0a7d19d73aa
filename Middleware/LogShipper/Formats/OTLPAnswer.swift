import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The interesting fields of an `Export…ServiceResponse`, or in the `Status` of a failure; what is malformed counts as
/// absent, for the status alone decides.
struct OTLPAnswer {
    private(set) var rejected = 0
    /// Why records were rejected, or what the receiver warns of.
    private(set) var warning: String?
    /// Why the request was refused.
    private(set) var message: String?

    /// Returns the meaning of an answer.
    ///
    /// - Parameters:
    ///   - encoding: That of the request.
    ///   - counter: The member of `partialSuccess` in JSON that counts what was rejected.
    static func receipt(
        for head: HTTPResponse,
        body: Data,
        to encoding: OTLPEncoding,
        countedAs counter: String
    ) -> LogReceipt {
        let receipt = LogReceipt(status: head.status)
        let encoding = self.encoding(of: head) ?? encoding
        switch receipt {
        case .accepted:
            let answer = OTLPAnswer(success: body, encoding, counter)
            return .accepted(rejected: answer.rejected, message: ReceiverMessage.line(answer.warning))
        case .later, .tooLarge: return receipt
        case .refused:
            let message = ReceiverMessage.line(OTLPAnswer(failure: body, encoding).message)
            return receipt.explained(by: message ?? ReceiverMessage.plainText(head, body))
        }
    }

    private static func encoding(of head: HTTPResponse) -> OTLPEncoding? {
        guard let type = head.headerFields[.contentType]?.pieces(at: ";", maxSplits: 1).first else { return nil }
        let name = type.trimming().lowercased()
        return OTLPEncoding.allCases.first { $0.contentType == name }
    }

    /// Of the response to what was accepted.
    private init(success body: Data, _ encoding: OTLPEncoding, _ counter: String) {
        guard !body.isEmpty else { return }
        switch encoding {
        case .json:
            let partial = Self.json(body)?["partialSuccess"]
            // A string by the mapping, a number from receivers that write JSON by hand.
            let count = partial?[counter]?.integer ?? partial?[counter]?.string.flatMap { Int64($0) } ?? 0
            rejected = Int(clamping: max(0, count))
            warning = partial?["errorMessage"]?.string
        case .protobuf:
            guard let partial = Self.fields(body)?[1]?.data.flatMap(Self.fields) else { return }
            rejected = Int(clamping: max(0, partial[1]?.integer ?? 0))
            warning = partial[2]?.text
        }
    }

    /// Of the `Status` of what was refused.
    private init(failure body: Data, _ encoding: OTLPEncoding) {
        guard !body.isEmpty else { return }
        switch encoding {
        case .json: message = Self.json(body)?["message"]?.string
        case .protobuf: message = Self.fields(body)?[2]?.text
        }
    }

    private static func json(_ body: Data) -> JSONValue? {
        try? JSONDecoder().decode(JSONValue.self, received: body)
    }

    /// The last value of each field; `nil` for what is no message.
    private static func fields(_ body: Data) -> [Int: ProtobufReader.Value]? {
        var reader = ProtobufReader(body)
        var fields: [Int: ProtobufReader.Value] = [:]
        do throws(ProtobufReader.Malformed) {
            while let field = try reader.next() { fields[field.number] = field.value }
        } catch {
            return nil
        }
        return fields
    }
}
