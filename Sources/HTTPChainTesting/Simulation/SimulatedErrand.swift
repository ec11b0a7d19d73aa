import HTTPChainCore
import HTTPTypes

/// The purpose of one call of a simulation.
struct SimulatedErrand: Sendable {
    enum Kind: Sendable {
        case get
        case head
        case put
        case order
        /// A thing behind a redirect with this status, to the foreign origin or not.
        case follow(status: Int, isForeign: Bool)
        /// An order through a redirect.
        case orderElsewhere(status: Int)
        case loop
    }

    enum Reading: Sendable {
        case whole
        case oneChunk
        case none
    }

    let call: SimulatedCall
    let kind: Kind
    let thing: SimulatedThing
    let language: String
    let isStreamed: Bool
    let reading: Reading
    /// The number of steps after which the call is cancelled.
    let cancelledAfter: Int?

    /// Chooses an errand.
    ///
    /// About every second one is for the same thing, so that calls interact.
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
            default: .get
            }
        thing = random.chance(0.5) ? hot : .any(random)
        language = random.element(of: ["en", "de"])
        isStreamed = random.chance(0.3)
        reading = random.chance(0.85) ? .whole : random.element(of: [.oneChunk, .none])
        cancelledAfter = random.chance(cancellationRate) ? Int(random.next() % 600) : nil
    }

    var request: Request {
        let own = SimulatedOrigins().own
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
            }
        switch kind {
        case .put, .order, .orderElsewhere: request.body = content
        default: break
        }
        request.headers[.acceptLanguage] = language
        request.options[SimulatedCallOption.self] = call
        return request
    }

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

    /// The origin of the content of a successful call; nil if it isn't the content of a thing.
    var origin: String? {
        switch kind {
        case .get: SimulatedOrigins().own
        case .follow(_, let isForeign): isForeign ? SimulatedOrigins().foreign : SimulatedOrigins().own
        default: nil
        }
    }
}
