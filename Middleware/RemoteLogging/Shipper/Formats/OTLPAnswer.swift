import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The relevant fields of an `Export…ServiceResponse`, or of the `Status` of a failure; malformed fields count as
/// absent, because the status decides.
struct OTLPAnswer {
    private(set) var rejected = 0
    /// The reason for rejected records, or a warning from the receiver.
    private(set) var warning: String?
    /// The reason for a refused request.
    private(set) var message: String?

    /// Returns the meaning of a response.
    ///
    /// - Parameters:
    ///   - encoding: The request's encoding.
    ///   - counter: The JSON member of `partialSuccess` with the number of rejected records.
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

    /// Reads the response to an accepted request.
    private init(success body: Data, _ encoding: OTLPEncoding, _ counter: String) {
        guard !body.isEmpty else { return }
        switch encoding {
        case .json:
            let partial = Self.json(body)?["partialSuccess"]
            // A string by the mapping; a number from receivers with handwritten JSON.
            let count = partial?[counter]?.integer ?? partial?[counter]?.string.flatMap { Int64($0) } ?? 0
            rejected = Int(clamping: max(0, count))
            warning = partial?["errorMessage"]?.string
        case .protobuf:
            guard let partial = Self.fields(body)?[1]?.data.flatMap(Self.fields) else { return }
            rejected = Int(clamping: max(0, partial[1]?.integer ?? 0))
            warning = partial[2]?.text
        }
    }

    /// Reads the `Status` of a refused request.
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

    /// The last value of each field; `nil` if this isn't a message.
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
