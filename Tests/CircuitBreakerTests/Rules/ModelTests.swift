#if AllTests
import HTTPChainCircuitBreaker
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

@Suite("A circuit beside an independent model", .timeLimit(.minutes(10)))
struct ModelTests {
    /// Small numbers, so that everything happens often.
    static let policies: [CircuitBreakerPolicy] = [
        plainPolicy {
            $0.window = .time(.milliseconds(2000))
            $0.minimumCalls = 10
            $0.failureRate = 0.3
            $0.probes = 2
            $0.probeTimeout = .milliseconds(900)
            $0.openTimes.base = .milliseconds(300)
            $0.openTimes.cap = .milliseconds(1000)
        },
        plainPolicy {
            $0.window = .calls(20)
            $0.minimumCalls = 15
            $0.failureRate = 0.5
            $0.slowCalls = .init(over: .milliseconds(150), rate: 0.6)
            $0.openTimes.base = .milliseconds(200)
            $0.retryAfterLimit = .milliseconds(400)
        },
        plainPolicy {
            $0.failureRate = nil
            $0.consecutiveFailures = 4
            $0.probes = 3
            $0.probeTimeout = .milliseconds(500)
            $0.openTimes.base = .milliseconds(100)
        },
        plainPolicy {
            $0.window = .time(.milliseconds(500))
            $0.minimumCalls = 5
            $0.consecutiveFailures = 6
            $0.slowCalls = .init(over: .milliseconds(100), rate: 0.8)
            $0.openTimes.base = .milliseconds(100)
            $0.openTimes.cap = .milliseconds(100)
        },
    ]

    @Test("The circuit does what the model does in a million random steps", .seeded, arguments: 0..<4)
    func random(index: Int) {
        let policy = Self.policies[index]
        let random = Seed.numbers(UInt64(index))
        func draw(_ count: UInt64) -> UInt64 { random.next() % count }
        var rules = CircuitRules(policy)
        var model = CircuitModel(policy)
        var now = Duration.zero
        var calls: [(number: Int, permit: CircuitRules.Permit, started: Duration)] = []
        /// Calls whose bodies are read.
        var bodies: [(number: Int, permit: CircuitRules.Permit)] = []
        var reopened = 0
        var steps = 0
        var opened = 0
        var seen: Set<String> = []
        // How bad the server is changes, so that circuits close as well as open.
        var badness: UInt64 = 1
        for step in 0..<Drill.steps {
            if draw(300) == 0 { badness = [0, 0, 1, 3, 9][Int(draw(5))] }
            if draw(2000) == 0 { now += .milliseconds(Int(draw(4000))) }
            now += .microseconds(Int(draw(40_000)))
            switch draw(1000) {
            case 0:
                rules.isolate()
                model.enter(.isolated)
            case 1...3:
                rules.close(at: now)
                model.openedBefore = 0
                model.openTime = .zero
                model.close(now)
            case 4:
                rules.open(for: .milliseconds(250), at: now, random: random)
                model.enter(.open(now + .milliseconds(250)))
            case 5...480:
                // The short way that the stage takes through a closed circuit is the same as the long one.
                let admitted: Result<CircuitRules.Permit, CircuitRules.Refusal> =
                    if draw(2) == 0, let permit = rules.permitWhileClosed {
                        .success(permit)
                    } else {
                        rules.admit(at: now, random: random)
                    }
                let isAdmitted = (try? admitted.get()) != nil
                #expect(model.admit(step, now) == isAdmitted, "step \(step)")
                if case .success(let permit) = admitted { calls.append((step, permit, now)) }
                if calls.count > 30 { calls.removeFirst() }
            case 481...500:
                guard !bodies.isEmpty else { break }
                let body = bodies.remove(at: Int(draw(UInt64(bodies.count))))
                let wasClosed = rules.state == .closed
                rules.recordLateFailure(body.permit, at: now, random: random)
                model.lose(body.number, now)
                if wasClosed, body.permit.isProbe, case .open = rules.state { reopened += 1 }
            default:
                guard !calls.isEmpty else { break }
                let call = calls.remove(at: Int(draw(UInt64(calls.count))))
                let outcome: CircuitRules.Outcome =
                    draw(12) == 0 ? .neither : draw(10) < badness ? .failure : .success
                let pushback: Duration? = draw(300) == 0 ? .milliseconds(Int(draw(600)) + 1) : nil
                let mayBeShort = outcome == .success && pushback == nil && policy.slowCalls == nil && draw(2) == 0
                let isRecorded = mayBeShort && rules.recordSuccessWhileClosed(call.permit, at: now)
                if !isRecorded {
                    rules.record(
                        call.permit,
                        outcome,
                        taking: now - call.started,
                        pushback: pushback,
                        at: now,
                        random: random
                    )
                }
                model.end(call.number, outcome, now - call.started, pushback, now)
                if outcome == .success, pushback == nil {
                    bodies.append((call.number, call.permit))
                    if bodies.count > 10 { bodies.removeFirst() }
                }
            }
            let isSame = CircuitModel.same(model.state, rules.state)
            #expect(isSame, "step \(step): \(rules.state), model \(model.state)")
            if !isSame { return }
            steps += 1
            for change in rules.takeChanges() {
                if case .open = change.to { opened += 1 }
                seen.insert("\(change.from) to \(change.to)")
            }
        }
        #expect(steps == Drill.steps)
        #expect(opened > 100)
        #expect(reopened > 10)
        #expect(
            seen.isSuperset(of: ["closed to open", "open to half-open", "half-open to closed", "half-open to open"]),
            "\(seen)"
        )
    }
}
#endif
