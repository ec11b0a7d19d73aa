import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Reads the relevant fields of an `Export…ServiceResponse`, or of the `Status` of a failure.
///
/// Malformed fields count as absent, because the HTTP status decides.
enum OTLPAnswer {
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
            let (rejected, warning) = partialSuccess(in: body, encoding, counter)
            return .accepted(rejected: Int(clamping: max(0, rejected ?? 0)), message: ReceiverMessage.line(warning))
        case .later, .tooLarge: return receipt
        case .refused:
            let message = ReceiverMessage.line(message(of: body, encoding))
            return receipt.explained(by: message ?? ReceiverMessage.plainText(head, body))
        }
    }

    private static func encoding(of head: HTTPResponse) -> OTLPEncoding? {
        guard let type = head.headerFields[.contentType]?.pieces(at: ";", maxSplits: 1).first else { return nil }
        let name = type.trimming().lowercased()
        return OTLPEncoding.allCases.first { $0.contentType == name }
    }

    /// Returns the number of records that were rejected in an accepted request, and the receiver's reason or warning.
    private static func partialSuccess(
        in body: Data,
        _ encoding: OTLPEncoding,
        _ counter: String
    ) -> (rejected: Int64?, warning: String?) {
        switch encoding {
        case .json:
            let partial = json(body)?["partialSuccess"]
            // The mapping requires a string, but receivers with handwritten JSON send a number.
            let count = partial?[counter]?.integer ?? partial?[counter]?.string.flatMap { Int64($0) }
            return (count, partial?["errorMessage"]?.string)
        case .protobuf:
            let partial = fields(body)?[1]?.data.flatMap(fields)
            return (partial?[1]?.integer, partial?[2]?.text)
        }
    }

    /// Returns the reason for a refused request, from its `Status`.
    private static func message(of body: Data, _ encoding: OTLPEncoding) -> String? {
        switch encoding {
        case .json: json(body)?["message"]?.string
        case .protobuf: fields(body)?[2]?.text
        }
    }

    private static func json(_ body: Data) -> JSONValue? {
        try? JSONDecoder().decode(JSONValue.self, received: body)
    }

    /// Returns the last value of each field, or `nil` if the body isn't a message.
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
