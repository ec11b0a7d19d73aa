import Foundation
import HTTPChainSupport
import HTTPTypes

/// An upload that a simulated server receives in parts.
struct SimulatedUpload: Sendable {
    let call: SimulatedCall
    /// The thing that it is a new version of; nil for an order.
    let thing: Int?
    let length: Int
    var content = Data()

    var isComplete: Bool { content.count >= length }

    /// Whether it requires authentication.
    var isProtected: Bool { thing.map { SimulatedThing(number: $0).isPrivate } ?? true }

    /// The fields with its progress.
    var fields: HTTPFields {
        [
            .uploadOffset: "\(content.count)", .uploadLength: "\(length)", .tusResumable: "1.0.0",
            .cacheControl: "no-store",
        ]
    }
}

extension ReceivedRequest {
    /// Whether it creates an upload in parts ("Creation" of tus 1.0.0).
    var createsUpload: Bool {
        method == .post && headers.contains(.tusResumable) && headers.contains(.uploadLength)
    }
}
