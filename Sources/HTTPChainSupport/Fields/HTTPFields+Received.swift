package import HTTPTypes

extension HTTPFields {
    /// The maximum number of fields that the type can hold.
    ///
    /// Appending one more terminates the process.
    package static let capacity = Int(UInt16.max) - 1

    /// The maximum number of fields in a received message: 10,000.
    ///
    /// It leaves room for the fields that stages add.
    package static let receivedLimit = 10_000

    /// Appends a received field.
    ///
    /// - Throws: ``TooManyFieldsError`` if there are already ``receivedLimit``.
    package mutating func append(received field: HTTPField) throws(TooManyFieldsError) {
        guard count < Self.receivedLimit else { throw TooManyFieldsError() }
        append(field)
    }
}

/// An error thrown if a received message has more fields than ``HTTPTypes/HTTPFields/receivedLimit``.
package struct TooManyFieldsError: Error, CustomStringConvertible {
    package var description: String { "more than \(HTTPFields.receivedLimit) header fields" }
}
