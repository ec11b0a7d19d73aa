#if AllTests
import HTTPChainCore
import Testing

@testable import HTTPChainAuth

private typealias State = RefreshState<String>

private struct NotBegun: Error {}

extension RefreshState {
    /// Begins a refresh, which nothing stands against.
    fileprivate mutating func beginning(_ version: Version) throws -> Refresh {
        let beginning = begin(for: version, at: .zero)
        guard case .refresh(_, let refresh) = beginning else { throw NotBegun() }
        return refresh
    }
}

@Suite("The state of a value that is refreshed")
struct RefreshStateTests {
    @Test("While it is refreshed nobody uses it, and everybody waits")
    func refreshing() throws {
        var state = State("a", limit: RefreshLimit(1, within: .seconds(30)))
        let current = try #require(state.usable)
        let refresh = try state.beginning(current.version)
        #expect(state.usable == nil)
        guard case .refresh = state.advice(for: current.version, at: .zero) else {
            Issue.record("the limit holds back who only waits")
            return
        }
        let finished = state.finish(refresh, with: "b", isSaved: true)
        let new = try #require(finished)
        #expect(new.value == "b" && state.usable?.value == "b")
        guard case .use(let newer) = state.advice(for: current.version, at: .zero) else {
            Issue.record("who has the old one should use the new one")
            return
        }
        #expect(newer.value == "b")
    }

    @Test("Who had a version before a failure shares it; who comes later does not")
    func failure() throws {
        struct Broken: Error {}
        for keepsValue in [true, false] {
            var state = State("a", limit: .standard)
            let early = state.version
            let refresh = try state.beginning(early)
            let other = state.fail(refresh, with: Broken(), keepsValue: keepsValue)
            #expect(other?.value == nil)
            #expect(state.usable?.value == (keepsValue ? "a" : nil))
            guard case .fail(let error) = state.advice(for: early, at: .zero) else {
                Issue.record("not failed")
                return
            }
            #expect(error is Broken)
            guard case .refresh = state.advice(for: state.version, at: .zero) else {
                Issue.record("not refreshed")
                return
            }
        }
    }

    @Test("Who had another user's version gets no value, and who had none gets any")
    func userChange() throws {
        var state = State("a", limit: .standard)
        let ada = state.version
        let refresh = try state.beginning(ada)
        #expect(state.finish(refresh, with: "b", isSaved: true)?.value == "b")
        guard case .use = state.advice(for: ada, at: .zero) else {
            Issue.record("the refreshed value is not used")
            return
        }
        state.replace(with: nil)
        let nobody = state.version
        guard case .changedUser = state.advice(for: ada, at: .zero) else {
            Issue.record("who was signed in waits for another sign-in")
            return
        }
        state.replace(with: "c")
        guard case .changedUser = state.advice(for: ada, at: .zero) else {
            Issue.record("another user's value is used")
            return
        }
        guard case .use(let new) = state.advice(for: nobody, at: .zero) else {
            Issue.record("the value is not used")
            return
        }
        #expect(new.value == "c")
    }

    @Test("What was replaced meanwhile is not replaced by what was made in place of the old one")
    func replaced() throws {
        var state = State("a", limit: .standard)
        let refresh = try state.beginning(state.version)
        state.replace(with: "c")
        #expect(state.usable?.value == "c")
        let finished = state.finish(refresh, with: "b", isSaved: true)
        #expect(finished?.value == nil)
        #expect(state.current == "c")
        let other = try state.beginning(state.version)
        state.replace(with: nil)
        let newer = state.fail(other, with: CancellationError(), keepsValue: true)
        #expect(newer?.value == nil)
        #expect(state.current == nil)
        guard case .refresh = state.advice(for: state.version, at: .zero) else {
            Issue.record("a failure for a value that is gone is nobody's")
            return
        }
    }

    @Test("A value that is not saved yet is saved before it is used")
    func unsaved() throws {
        var state = State(nil, limit: RefreshLimit(1, within: .seconds(30)))
        let refresh = try state.beginning(state.version)
        let finished = state.finish(refresh, with: "a", isSaved: false)
        let new = try #require(finished)
        #expect(state.usable == nil)
        guard case .save(let current) = state.begin(for: state.version, at: .zero) else {
            Issue.record("it should be saved")
            return
        }
        #expect(current.value == "a")
        state.saved(new)
        #expect(state.usable?.value == "a")
    }

    @Test("A value is rejected by who used it, and by nobody who used an older one")
    func rejection() throws {
        var state = State("a", limit: .standard)
        let old = state.version
        state.replace(with: "b")
        state.reject(old)
        #expect(state.usable?.value == "b")
        state.reject(state.version)
        #expect(state.usable == nil)
    }

    @Test("When there were too many refreshes, the value there is serves, rejected or not")
    func tooMany() throws {
        var state = State("a", limit: RefreshLimit(0, within: .seconds(30)))
        state.reject(state.version)
        guard case .giveUp = state.advice(for: state.version, at: .zero) else {
            Issue.record("not given up")
            return
        }
        #expect(state.usable?.value == "a")
        state.reject(state.version)
        guard case .refused = state.begin(for: state.version, at: .zero) else {
            Issue.record("not refused")
            return
        }
        #expect(state.usable?.value == "a")
    }

    @Test("A window admits so many in its interval, and forgets those that were given up")
    func window() {
        var window = RefreshWindow(RefreshLimit(2, within: .seconds(30)))
        let admitted = [0, 10, 29, 30, 39].map { window.admit(at: .seconds($0)) }
        #expect(admitted == [true, true, false, true, false])
        window.withdraw(.seconds(30))
        let again = window.admit(at: .seconds(39))
        #expect(again)
        var none = RefreshWindow(.none)
        let all = (1...1000).allSatisfy { _ in none.admit(at: .zero) }
        #expect(all)
        var never = RefreshWindow(RefreshLimit(-1, within: .seconds(1)))
        let any = never.admit(at: .seconds(100))
        #expect(!any)
        #expect("\(RefreshLimit.none)" == "none")
    }

    @Test("An interval is at least a second, so that one of zero or less is no exemption from the limit")
    func shortestInterval() {
        for interval in [Duration.seconds(Int64.min), .seconds(-1), .zero, .milliseconds(999)] {
            var shortest = RefreshWindow(RefreshLimit(1, within: interval))
            let admitted = [0, 999, 1_000].map { shortest.admit(at: .milliseconds($0)) }
            #expect(admitted == [true, false, true])
        }
    }
}
#endif
