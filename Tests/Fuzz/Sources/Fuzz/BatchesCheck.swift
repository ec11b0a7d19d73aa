import Foundation
import HTTPTypes

@testable import HTTPChainCore
@testable import HTTPChainOData

/// The response to a batch of four requests.
///
/// A response that is accepted has a status and fields that can be sent. The value of a failure is an error that names the
/// request on one line. The same list in reverse order gives the same responses.
func checkBatches(_ input: Input) -> Int32 {
    var batch = ODataBatch()
    let ids = ["People", "Trips", "Airports", "Photos"].map { batch.add(.get($0)) }
    guard let responses = try? ODataBatchResponses(input.bytes, to: batch) else { return 0 }
    var reversed: ODataBatchResponses?
    if let document = try? JSONDecoder().decode(JSONValue.self, from: input.bytes),
        let items = document["responses"]?.array
    {
        let turned = JSONValue.object(["responses": .array(items.reversed())])
        reversed = (try? JSONEncoder().encode(turned)).flatMap { try? ODataBatchResponses($0, to: batch) }
        require(reversed != nil, "the same responses in reverse order are no batch response")
    }
    for id in ids {
        guard let response = try? responses[id] else { continue }
        require((100...999).contains(response.status.code), "a response with the status \(response.status)")
        for field in response.headers {
            require(HTTPField.isValidValue(field.value), "a field that can't be sent: \(field)")
        }
        do {
            _ = try responses.value(of: id, as: JSONValue.self)
            require((200...299).contains(response.status.code), "a value of a failure: \(response.status)")
        } catch let error as ODataBatchError {
            require(!"\(error)".contains("\n"), "an error of two lines: \(error)")
        } catch {
            require(error is DecodingError, "another error: \(error)")
        }
        if let reversed, let other = try? reversed[id] {
            require(other.status == response.status, "the order changed \(response.status) to \(other.status)")
        }
    }
    return 0
}
