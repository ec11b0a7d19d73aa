package import HTTPTypes

extension HTTPFields {
    /// The largest number of fields that the type can hold; one more ends the process.
    package static let capacity = Int(UInt16.max) - 1

    /// The largest number of fields in a message that came from outside: 10,000.
    ///
    /// It leaves room for the fields that stages add.
    package static let receivedLimit = 10_000

    /// Adds a field that came from outside.
    ///
    /// - Throws: ``TooManyFieldsError`` if there are ``receivedLimit`` already.
    package mutating func append(received field: HTTPField) throws(TooManyFieldsError) {
        guard count < Self.receivedLimit else { throw TooManyFieldsError() }
        append(field)
    }
}

/// A message from outside has more fields than ``HTTPTypes/HTTPFields/receivedLimit``.
package struct TooManyFieldsError: Error, CustomStringConvertible {
    package var description: String { "more than \(HTTPFields.receivedLimit) header fields" }
}
