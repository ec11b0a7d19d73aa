import HTTPChainCore
import HTTPTypes

/// The purpose of one call of a simulation.
struct SimulatedErrand: Sendable {
    enum Kind: Sendable {
        case get
        case head
        case put
        case order
        /// Reads a thing behind a redirect with this status, to the foreign origin or to the own one.
        case follow(status: Int, isForeign: Bool)
        /// Orders through a redirect.
        case orderElsewhere(status: Int)
        case loop
        case signOut
        /// A thing of the own origin, with a trailing dot in the URL's host.
        case getDotted
    }

    enum Reading: Sendable {
        case whole
        case oneChunk
        case none
    }

    let call: SimulatedCall
    let kind: Kind
    let thing: SimulatedThing
    /// The languages in order of preference.
    let acceptedLanguages: String
    let isStreamed: Bool
    let reading: Reading
    /// The number of steps after which the call is cancelled.
    let cancelledAfter: Int?

    /// Chooses an errand.
    ///
    /// About half of all errands concern the same thing, so that calls interact.
    init(_ call: SimulatedCall, _ random: SeededRandom, hot: SimulatedThing, cancellationRate: Double) {
        self.call = call
        let statuses = [301, 302, 303, 307, 308]
        kind =
            switch random.next() % 20 {
            case 0: .head
            case 1, 2, 3: .put
            case 4, 5: .order
            case 6, 7: .follow(status: random.element(of: statuses), isForeign: random.chance(0.5))
            case 8: .orderElsewhere(status: random.element(of: statuses))
            case 9 where random.chance(0.1): .loop
            case 10 where random.chance(0.3): .signOut
            case 11 where random.chance(0.3): .getDotted
            default: .get
            }
        thing = random.chance(0.5) ? hot : .any(random)
        acceptedLanguages = random.element(of: ["en", "de", "en, de", "de, en"])
        isStreamed = random.chance(0.3)
        reading = random.chance(0.85) ? .whole : random.element(of: [.oneChunk, .none])
        cancelledAfter = random.chance(cancellationRate) ? Int(random.next() % 600) : nil
    }

    var request: Request {
        let own = SimulatedOrigins.own
        var request =
            switch kind {
            case .get: Request.get("\(own)/things/\(thing.number)")
            case .head: Request.head("\(own)/things/\(thing.number)")
            case .put: Request.put("\(own)/things/\(thing.number)")
            case .order: Request.post("\(own)/orders")
            case .follow(let status, let isForeign):
                Request.get("\(own)/go/\(status)/\(isForeign ? "foreign" : "own")/\(thing.number)")
            case .orderElsewhere(let status): Request.post("\(own)/go/\(status)/own/orders")
            case .loop: Request.get("\(own)/go/302/own/loop")
            case .signOut: Request.post("\(own)/sign-out")
            case .getDotted: Request.get("\(own)./things/\(thing.number)")
            }
        switch kind {
        case .put, .order, .orderElsewhere: request.body = content
        default: break
        }
        request.headers[.acceptLanguage] = acceptedLanguages
        request.options[SimulatedCallNote.self] = call
        return request
    }

    var isSignOut: Bool { if case .signOut = kind { true } else { false } }

    /// Whether the URL differs from the usual one of the same thing, so that a cache doesn't notice changes of that.
    var isDotted: Bool { if case .getDotted = kind { true } else { false } }

    private var content: HTTPBody {
        let bytes = SimulatedServer.order(of: call.number)
        guard isStreamed else { return HTTPBody(bytes) }
        let halves = [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)]
        return .once(
            chunks: AsyncStream { continuation in
                for half in halves { continuation.yield(half) }
                continuation.finish()
            }
        )
    }

    /// The origin of the content of a successful call; nil if the content isn't that of a thing.
    var origin: String? {
        switch kind {
        case .get, .getDotted: SimulatedOrigins.own
        case .follow(_, let isForeign): isForeign ? SimulatedOrigins.foreign : SimulatedOrigins.own
        default: nil
        }
    }
}
