import Foundation
import HTTPChainSupport
import HTTPTypes

/// An upload that a simulated server takes in parts.
struct SimulatedUpload: Sendable {
    let call: SimulatedCall
    /// The thing that it is a version of; nil for an order.
    let thing: Int?
    let length: Int
    var content = Data()

    var isComplete: Bool { content.count >= length }

    /// Whether its user has to prove who it is.
    var isProtected: Bool { thing.map { SimulatedThing(number: $0).isPrivate } ?? true }

    /// The fields that tell how far it is.
    var fields: HTTPFields {
        [
            .uploadOffset: "\(content.count)", .uploadLength: "\(length)", .tusResumable: "1.0.0",
            .cacheControl: "no-store",
        ]
    }
}

extension ReceivedRequest {
    /// Whether it asks for an upload in parts ("Creation" of tus 1.0.0).
    var createsUpload: Bool {
        method == .post && headers.contains(.tusResumable) && headers.contains(.uploadLength)
    }
}
