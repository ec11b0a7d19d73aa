import Foundation
import HTTPChainCore
import HTTPTypes

/// A run of a simulation, on the calling thread.
struct SimulationRun {
    private struct Progress: Sendable {
        var report: SimulationReport
        var next = 0
        var ended = 0
        /// The calls that have ended.
        var endedCalls: Set<Int> = []
        /// The last version of each thing that each user successfully wrote.
        var written: [String: Int] = [:]
    }

    private let simulation: ChainSimulation
    private let world: SimulatedWorld
    private let scheduler: SimulatedScheduler
    private let progress: Locked<Progress>
    private let build: ChainSimulation.Build
    /// The thing that about half of the errands concern.
    private let hot: SimulatedThing

    init(_ simulation: ChainSimulation, seed: UInt64, build: @escaping ChainSimulation.Build) {
        self.simulation = simulation
        self.build = build
        let clock = VirtualClock()
        let random = SeededRandom(seed: seed)
        let transport = SimulatedTransport(
            clock: clock,
            random: random,
            faultRate: simulation.faultRate,
            // The skew has a separate source of random numbers, so that a seed makes the same calls with and without
            // it.
            skew: SeededRandom(seed: seed &+ 0x736B_6577).element(of: [.zero, .seconds(600), .seconds(-600)])
        )
        world = SimulatedWorld(
            users: (0..<max(1, simulation.users)).map { ["ada", "bob", "cyd", "dan", "eve"][$0 % 5] + "\($0)" },
            transport: transport,
            environment: ChainEnvironment(time: clock, random: random),
            simulated: transport,
            clock: clock,
            random: random
        )
        hot = .any(random)
        scheduler = SimulatedScheduler(
            seed: seed &+ 1,
            clock: clock,
            maximumSteps: max(1, simulation.calls) * simulation.stepsPerCall
        )
        progress = Locked(Progress(report: SimulationReport(seed: seed)))
    }

    func perform() throws -> SimulationReport {
        try scheduler.whileOwningThread { Result { try performAndLetGo() } }.get()
        var report = progress.withLock { $0.report }
        report.calls = simulation.calls
        report.requests = world.simulated.requests
        report.faults = Dictionary(uniqueKeysWithValues: world.simulated.faults.map { ($0.key.rawValue, $0.value) })
        report.steps = scheduler.steps
        report.fingerprint = world.simulated.fingerprint
        report.violated += world.simulated.withServer { $0.violations }
        return report
    }

    /// Makes the calls, and checks that the chains are deallocated with the last reference to them.
    private func performAndLetGo() throws {
        weak var link: SimulatedLink?
        let isDone: Bool
        do {
            let linked = self.world.linked()
            link = linked.link
            isDone = try performCalls(in: linked.world)
        }
        // Runs work that was deferred until a chain is deallocated.
        scheduler.settle()
        if isDone, link != nil {
            found(.leftovers, nil, "a chain, or a stage of it, is still there: a reference cycle")
        }
    }

    /// - Returns: Whether all calls have ended.
    private func performCalls(in world: SimulatedWorld) throws -> Bool {
        let makeChain = try build(world)
        let chains = try Dictionary(uniqueKeysWithValues: world.users.map { ($0, try makeChain($0)) })
        for _ in 0..<min(max(1, simulation.concurrency), simulation.calls) {
            Task { await callAgainAndAgain(chains) }
        }
        let ending = scheduler.run { progress.withLock { $0.ended } == simulation.calls }
        let ended = progress.withLock { $0.ended }
        switch ending {
        // Keeps the chains alive during the check, because stages may hold state as long as their chain.
        case .done: withExtendedLifetime(chains) { checkWhatIsLeft() }
        case .stuck: found(.outcome, nil, "\(simulation.calls - ended) calls wait for something that never happens")
        case .endless: found(.outcome, nil, "\(simulation.calls - ended) calls never end")
        }
        if case .done = ending { return true }
        return false
    }

    /// Lets background work finish; anything left after that is a leak.
    private func checkWhatIsLeft() {
        scheduler.settle()
        var moves = 0
        // A slow body of many chunks takes thousands of steps.
        while moves < 100_000, world.simulated.transfers > 0 || !world.clock.waits.isEmpty {
            guard world.clock.advanceToNextDeadline() != nil else { break }
            scheduler.settle()
            moves += 1
        }
        if world.simulated.transfers > 0 {
            found(.leftovers, nil, "\(world.simulated.transfers) responses are kept open")
        }
        for wait in world.clock.waits { found(.leftovers, nil, "\(wait)") }
        let orders = world.simulated.withServer { $0.orders }
        for (call, count) in orders.sorted(by: { $0.key < $1.key }) where count > 1 {
            found(.effect, call, "the order was taken \(count) times")
        }
    }

    private func found(_ invariant: SimulationReport.Invariant, _ call: Int?, _ detail: String) {
        progress.withLock { $0.report.found(invariant, call, detail) }
    }
}

extension SimulationRun {
    private func callAgainAndAgain(_ chains: [String: Chain]) async {
        while let number = takeNumber() {
            let user = world.random.element(of: world.users)
            guard let chain = chains[user] else { continue }
            let call = SimulatedCall(number: number, user: user)
            let errand = SimulatedErrand(
                call,
                world.random,
                hot: hot,
                cancellationRate: simulation.cancellationRate
            )
            let task = Task { await self.run(errand, through: chain) }
            if let steps = errand.cancelledAfter { scheduler.interrupt(after: steps) { task.cancel() } }
            await task.value
            progress.withLock { progress in
                progress.ended += 1
                progress.endedCalls.insert(number)
            }
        }
    }

    private func takeNumber() -> Int? {
        progress.withLock { progress in
            guard progress.next < simulation.calls else { return nil }
            progress.next += 1
            return progress.next - 1
        }
    }

    private func run(_ errand: SimulatedErrand, through chain: Chain) async {
        let place = "\(errand.call.user) \(errand.thing.number)"
        let (atLeast, ended) = progress.withLock { ($0.written[place] ?? 0, $0.endedCalls) }
        var request = errand.request
        request.environment = world.environment
        do {
            let response = try await chain.send(request)
            let content = try await read(response, as: errand.reading)
            try judge(errand, response.status, content, notBefore: errand.isDotted ? 0 : atLeast)
            if errand.isSignOut, response.status.kind == .successful { signedOut(errand.call.user, ended) }
            progress.withLock { $0.report.successes += 1 }
            world.simulated.note("\(errand.call.number) \(response.status.code) \(content?.count ?? -1)")
        } catch {
            judge(errand, error)
        }
    }

    /// Records that a user has signed out.
    ///
    /// The user's calls that had ended before the sign-out began have stored their cookies by then.
    private func signedOut(_ user: String, _ ended: Set<Int>) {
        let next = progress.withLock { $0.next }
        world.simulated.withServer { $0.signOut(ended, of: user, before: next) }
    }

    private func read(_ response: Response, as reading: SimulatedErrand.Reading) async throws -> Data? {
        switch reading {
        case .whole: return try await response.body.collect(upTo: .mebibytes(4))
        case .none: return nil
        case .oneChunk:
            var reader = try await response.body.makeReader()
            _ = try await reader.read()
            return nil
        }
    }

    private func judge(
        _ errand: SimulatedErrand,
        _ status: HTTPResponse.Status,
        _ content: Data?,
        notBefore atLeast: Int
    ) throws {
        guard status.kind == .successful else { return }
        let number = errand.call.number
        switch errand.kind {
        case .order:
            let count = world.simulated.withServer { $0.orders[number] ?? 0 }
            if count == 0 { found(.effect, number, "the order succeeded, and was not taken") }
        case .put:
            let versions = world.simulated.withServer { [thing = errand.thing.number] in $0.versions(of: thing) }
            guard let index = versions.lastIndex(of: "\(number)") else {
                return found(.effect, number, "the thing was put, and is not there")
            }
            progress.withLock { progress in
                let place = "\(errand.call.user) \(errand.thing.number)"
                progress.written[place] = max(progress.written[place] ?? 0, index)
            }
        default:
            guard let origin = errand.origin, let content else { return }
            judge(errand, content, of: origin, notBefore: atLeast)
        }
    }

    private func judge(_ errand: SimulatedErrand, _ content: Data, of origin: String, notBefore atLeast: Int) {
        let thing = errand.thing
        let version = thing.version(
            of: content,
            language: thing.hasLanguages ? SimulatedServer.language(in: errand.acceptedLanguages) : "any",
            user: thing.isPrivate ? errand.call.user : "all",
            origin: origin
        )
        let versions =
            origin == world.origin
            ? world.simulated.withServer { [number = thing.number] in $0.versions(of: number) } : ["0"]
        guard let version, let index = versions.lastIndex(of: version) else {
            let bytes = content.prefix { $0 != UInt8(ascii: "\n") }.prefix(120)
            let line = String(decoding: bytes.map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
            let others = world.users.filter { $0 != errand.call.user && line.includes("user \($0) ") }
            return found(
                others.isEmpty ? .content : .otherUser,
                errand.call.number,
                "\(errand.call.user) asked for thing \(thing.number) in \(errand.acceptedLanguages) and got \(content.count) "
                    + "bytes: \(line)"
            )
        }
        if origin == world.origin, index < atLeast {
            found(
                .ownWrites,
                errand.call.number,
                "\(errand.call.user) had written version \(versions[atLeast]) of thing \(thing.number) and got \(version)"
            )
        }
    }

    private func judge(_ errand: SimulatedErrand, _ error: any Error) {
        let number = errand.call.number
        let text = "\(error)"
        world.simulated.note("\(number) \(type(of: error))")
        if text.includes(SimulatedServer.secretMark) { found(.credentialLeak, number, "the error says \(text)") }
        if error is CancellationError {
            if errand.cancelledAfter == nil { found(.outcome, number, "nobody cancelled it") }
            progress.withLock { $0.report.cancelled += 1 }
        } else if let error = error as? any HTTPChainError {
            progress.withLock { $0.report.failures[error.stage, default: 0] += 1 }
        } else {
            found(.outcome, number, "it ended in \(type(of: error)): \(text.printable(upTo: 200))")
        }
    }
}
