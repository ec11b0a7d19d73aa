import HTTPChainCore
import Testing

@testable import HTTPChainAuth

private typealias State = RenewalState<String>

private struct NotBegun: Error {}

extension RenewalState {
    /// Begins a renewal, which nothing stands against.
    fileprivate mutating func beginning(_ ticket: Ticket) throws -> Renewal {
        let beginning = begin(for: ticket, at: .zero)
        guard case .renew(_, let renewal) = beginning else { throw NotBegun() }
        return renewal
    }
}

@Suite("The state of a value that is renewed")
struct RenewalStateTests {
    @Test("While it is renewed nobody uses it, and everybody waits")
    func renewing() throws {
        var state = State("a", limit: RenewalLimit(1, within: .seconds(30)))
        let held = try #require(state.usable)
        let renewal = try state.beginning(held.ticket)
        #expect(state.usable == nil)
        guard case .renew = state.advice(for: held.ticket, at: .zero) else {
            Issue.record("the limit holds back who only waits")
            return
        }
        let finished = state.finish(renewal, with: "b", isSaved: true)
        let new = try #require(finished)
        #expect(new.value == "b" && state.usable?.value == "b")
        guard case .use(let newer) = state.advice(for: held.ticket, at: .zero) else {
            Issue.record("who has the old one should use the new one")
            return
        }
        #expect(newer.value == "b")
    }

    @Test("Who had a ticket before a failure shares it; who comes later does not")
    func failure() throws {
        struct Broken: Error {}
        for keepsValue in [true, false] {
            var state = State("a", limit: .standard)
            let early = state.ticket
            let renewal = try state.beginning(early)
            let other = state.fail(renewal, with: Broken(), keepsValue: keepsValue)
            #expect(other?.value == nil)
            #expect(state.usable?.value == (keepsValue ? "a" : nil))
            guard case .fail(let error) = state.advice(for: early, at: .zero) else {
                Issue.record("not failed")
                return
            }
            #expect(error is Broken)
            guard case .renew = state.advice(for: state.ticket, at: .zero) else {
                Issue.record("not renewed")
                return
            }
            state.replace(with: "b")
            guard case .use = state.advice(for: early, at: .zero) else {
                Issue.record("the newer value is not used")
                return
            }
        }
    }

    @Test("What was replaced meanwhile is not replaced by what was made in place of the old one")
    func replaced() throws {
        var state = State("a", limit: .standard)
        let renewal = try state.beginning(state.ticket)
        state.replace(with: "c")
        #expect(state.usable?.value == "c")
        let finished = state.finish(renewal, with: "b", isSaved: true)
        #expect(finished?.value == nil)
        #expect(state.current == "c")
        let other = try state.beginning(state.ticket)
        state.replace(with: nil)
        let newer = state.fail(other, with: CancellationError(), keepsValue: true)
        #expect(newer?.value == nil)
        #expect(state.current == nil)
        guard case .renew = state.advice(for: state.ticket, at: .zero) else {
            Issue.record("a failure for a value that is gone is nobody's")
            return
        }
    }

    @Test("A value that is not saved yet is saved before it is used")
    func unsaved() throws {
        var state = State(nil, limit: RenewalLimit(1, within: .seconds(30)))
        let renewal = try state.beginning(state.ticket)
        let finished = state.finish(renewal, with: "a", isSaved: false)
        let new = try #require(finished)
        #expect(state.usable == nil)
        guard case .save(let held) = state.begin(for: state.ticket, at: .zero) else {
            Issue.record("it should be saved")
            return
        }
        #expect(held.value == "a")
        state.saved(new)
        #expect(state.usable?.value == "a")
    }

    @Test("A value is rejected by who used it, and by nobody who used an older one")
    func rejection() throws {
        var state = State("a", limit: .standard)
        let old = state.ticket
        state.replace(with: "b")
        state.reject(old)
        #expect(state.usable?.value == "b")
        state.reject(state.ticket)
        #expect(state.usable == nil)
    }

    @Test("When there were too many renewals, the value there is serves, rejected or not")
    func tooMany() throws {
        var state = State("a", limit: RenewalLimit(0, within: .seconds(30)))
        state.reject(state.ticket)
        guard case .giveUp = state.advice(for: state.ticket, at: .zero) else {
            Issue.record("not given up")
            return
        }
        #expect(state.usable?.value == "a")
        state.reject(state.ticket)
        guard case .refused = state.begin(for: state.ticket, at: .zero) else {
            Issue.record("not refused")
            return
        }
        #expect(state.usable?.value == "a")
    }

    @Test("A window admits so many in its interval, and forgets those that were given up")
    func window() {
        var window = RenewalWindow(RenewalLimit(2, within: .seconds(30)))
        let admitted = [0, 10, 29, 30, 39].map { window.admit(at: .seconds($0)) }
        #expect(admitted == [true, true, false, true, false])
        window.withdraw(.seconds(30))
        let again = window.admit(at: .seconds(39))
        #expect(again)
        var none = RenewalWindow(.none)
        let all = (1...1000).allSatisfy { _ in none.admit(at: .zero) }
        #expect(all)
        var never = RenewalWindow(RenewalLimit(-1, within: .seconds(1)))
        let any = never.admit(at: .seconds(100))
        #expect(!any)
        #expect("\(RenewalLimit.none)" == "none")
    }
}
