#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting
import TestSupport
import Testing

@Suite("A stored reply, then the live one", .timeLimit(.minutes(10)))
struct StoredThenLiveTests {
    /// A client whose store holds a plant named "Old", and whose service and store answer when they are told to.
    struct Scene {
        let nursery = Nursery()
        let store = SlowStore()
        let client: Client

        init(_ way: Way = .memory) async throws {
            let chain = try await way.chain(to: nursery)
            client = Client(over: chain, replies: ReplyStore(store, partition: .shared))
            nursery.answer("Old")
            try await client.call(ValuePlant(id: 7))
        }
    }

    private func word(_ step: StoredThenLiveStep<Plant>) -> String {
        switch step {
        case .stored(let reply): "stored \(reply.value.name)"
        case .notStored(.nothing): "nothing"
        case .notStored(.dropped): "dropped"
        case .notStored(.failed(let error)): "unreadable: \(type(of: error))"
        case .live(.success(let plant)): "live \(plant.name)"
        case .live(.failure(let error)): "failed: \(type(of: error))"
        case .live(.cancelled(let duplicate)): "cancelled, duplicate: \(duplicate)"
        }
    }

    private static let all: [StoredReplyDependency] = [.never, .onSuccess, .onSuccessOrCancellation]

    @Test("The stored reply comes first, and the live one when it is there", arguments: all, Way.allCases)
    func inOrder(dependency: StoredReplyDependency, way: Way) async throws {
        let scene = try await Scene(way)
        var names: [String] = []
        for try await reply in scene.client.call(ValuePlant(id: 7)).storedThenLive(dropping: dependency) {
            names.append("\(reply.storedAt != nil ? "stored" : "live") \(reply.value.name)")
            if reply.storedAt != nil { scene.nursery.answer("New") }
        }
        #expect(names == ["stored Old", "live New"])
        #expect(try await scene.client.storedReply(for: ValuePlant(id: 7))?.value.name == "New")
    }

    @Test("The stored reply is dropped when the live one is there first, unless the live one is to wait")
    func liveFirst() async throws {
        for dependency in Self.all {
            let scene = try await Scene()
            scene.store.become(.closed)
            scene.nursery.answer("New")
            let events = Events<CallEvent>()
            let observer = Observer { events.add($0) }
            scene.client.addObserver(observer)
            async let opened: Void = {
                // Where the stored reply is dropped, nobody waits for the store; otherwise the live one does.
                if dependency == .never {
                    try await scene.nursery.begun.wait(until: 2)
                    scene.store.become(.open)
                } else {
                    try await until("the live call to end") { events.all.contains { $0.change.isEnd } }
                }
            }()
            var words: [String] = []
            for await step in scene.client.call(ValuePlant(id: 7)).storedThenLive(dropping: dependency).steps {
                words.append(word(step))
            }
            try await opened
            #expect(words == [dependency == .never ? "stored Old" : "dropped", "live New"])
            withExtendedLifetime(observer) {}
        }
    }

    @Test("A live call that fails first does not hide the stored reply, and its error comes last", arguments: all)
    func failure(dependency: StoredReplyDependency) async throws {
        let scene = try await Scene()
        scene.store.become(.closed)
        scene.nursery.fail()
        let events = Events<CallEvent>()
        let observer = Observer { events.add($0) }
        scene.client.addObserver(observer)
        var iterator = scene.client.call(ValuePlant(id: 7)).retry(.never).storedThenLive(dropping: dependency)
            .makeAsyncIterator()
        async let opened: Void = {
            try await until("the live call to fail") { events.all.contains { $0.change.isEnd } }
            scene.store.become(.open)
        }()
        let first = try await iterator.next()
        try await opened
        #expect(first?.value.name == "Old" && first?.storedAt != nil)
        await #expect(throws: TransportError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        withExtendedLifetime(observer) {}
    }

    @Test("A call that is cancelled, or is a duplicate, drops the stored reply where that is wanted")
    func cancelled() async throws {
        for (dependency, isDuplicate) in [
            (StoredReplyDependency.onSuccess, false), (.onSuccess, true), (.onSuccessOrCancellation, false),
            (.onSuccessOrCancellation, true),
        ] {
            let scene = try await Scene()
            let registry = scene.client.registry
            scene.store.become(.closed)
            let running = scene.client.makeCall(ValuePlant(id: 7)).key("first").start { _ in }
            try await scene.nursery.begun.wait(until: 2)
            var call = scene.client.makeCall(ValuePlant(id: 7)).key(isDuplicate ? "first" : "second")
            if isDuplicate { call = call.duplicates(false) }
            async let opened: Void = {
                if !isDuplicate { try await until("it to be cancelled") { registry.cancel(key: "second") > 0 } }
                // It is dropped without the store, and otherwise waits for it.
                if dependency == .onSuccess { scene.store.become(.open) }
            }()
            var words: [String] = []
            for await step in call.storedThenLive(dropping: dependency).steps { words.append(word(step)) }
            try await opened
            #expect(words.last == "cancelled, duplicate: \(isDuplicate)")
            #expect(words.first == (dependency == .onSuccess ? "stored Old" : "dropped"))
            running.cancel()
            await running.finished()
            if isDuplicate {
                // Only data: what is thrown tells it.
                let throwing = scene.client.makeCall(ValuePlant(id: 8)).key("third").duplicates(false)
                let other = scene.client.makeCall(ValuePlant(id: 7)).key("third").start { _ in }
                try await until("it to run") { registry.contains(key: "third") }
                await #expect(throws: DuplicateCallError.self) {
                    for try await _ in throwing.storedThenLive(dropping: .onSuccessOrCancellation) {}
                }
                other.cancel()
                await other.finished()
            }
        }
    }

    @Test("Where nothing is stored, or it cannot be read, the live reply comes alone")
    func noneStored() async throws {
        let scene = try await Scene()
        scene.nursery.answer("New")
        var words: [String] = []
        for await step in scene.client.call(ValuePlant(id: 9)).storedThenLive(dropping: .never).steps {
            words.append(word(step))
        }
        #expect(words == ["nothing", "live New"])
        scene.store.become(.failing)
        for makes in [true, false] {
            scene.nursery.answer("Next")
            let sequence = scene.client.call(ValuePlant(id: 7)).storedThenLive(dropping: .never)
            if makes {
                var words: [String] = []
                for await step in sequence.steps { words.append(word(step)) }
                #expect(words == ["unreadable: Failure", "live Next"])
            } else {
                var names: [String] = []
                for try await reply in sequence { names.append(reply.value.name) }
                #expect(names == ["Next"])
            }
        }
    }

    @Test("Leaving the loop cancels the call, and so does cancelling the task, which is thrown")
    func leaving() async throws {
        let scene = try await Scene()
        for try await reply in scene.client.call(ValuePlant(id: 7)).key("left").storedThenLive() {
            #expect(reply.storedAt != nil)
            break
        }
        try await until("the call to be cancelled") { !scene.client.registry.contains(key: "left") }
        let task = Task {
            for try await _ in scene.client.call(ValuePlant(id: 7)).storedThenLive() {}
        }
        try await until("the call to run") { scene.client.registry.contains(ValuePlant(id: 7)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await until("the call to be cancelled") { scene.client.registry.count == 0 }
    }

    @Test("Nothing is sent in a task that is cancelled already, and the call leaves the registry")
    func cancelledBeforeItBegins() async throws {
        let scene = try await Scene()
        let sent = scene.nursery.begun.value
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in scene.client.call(ValuePlant(id: 7)).storedThenLive() {}
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await until("the call to leave") { scene.client.registry.count == 0 }
        #expect(scene.nursery.begun.value == sent)
    }

    @Test("An observer is told what was stored and what is live; of data alone where it wants no more")
    func observers() async throws {
        let scene = try await Scene()
        let observer = Reader()
        let started = scene.client.makeCall(ValuePlant(id: 7)).key("page").startStoredThenLive(observer)
        #expect(try await observer.reports.next() == "stored Old at a time, key page")
        scene.nursery.answer("New")
        #expect(try await observer.reports.next() == "live New, key page")
        await started.finished()

        // Data alone: neither a store that fails nor a call that fails is told.
        scene.store.become(.failing)
        scene.nursery.fail()
        await scene.client.makeCall(ValuePlant(id: 7)).with { $0.retry(.never) }
            .startStoredThenLive(onlyData: true, observer).finished()
        #expect(observer.reports.all.count == 2)
        scene.nursery.fail()
        await scene.client.makeCall(ValuePlant(id: 7)).with { $0.retry(.never) }
            .startStoredThenLive(observer).finished()
        #expect(observer.reports.all.suffix(2) == ["stored failed", "live failed"])

        // A client that goes away ends it, once.
        scene.store.become(.closed)
        var gone: Client? = Client(over: scene.nursery, replies: scene.client.replies)
        let last = try #require(
            gone?.makeCall(ValuePlant(id: 7)).startStoredThenLive(
                dropping: .onSuccessOrCancellation,
                observer
            )
        )
        try await until("the call to run") { scene.nursery.begun.value == 5 }
        gone = nil
        await last.finished()
        #expect(observer.reports.all.suffix(2) == ["stored cancelled", "live cancelled"])
        #expect(observer.reports.all.count == 6)
    }

    @Test("An observer on a queue is told there what was stored and what is live")
    func observersOnQueue() async throws {
        let scene = try await Scene()
        let ledger = CallTests.Ledger()
        let call = scene.client.makeCall(ValuePlant(id: 7)).key("page")
        let started = call.startStoredThenLive(dropping: .never, ledger, on: ledger.queue)
        try await ledger.seen.wait(until: 1)
        scene.nursery.answer("New")
        await started.finished()
        #expect(
            ledger.seen.all == [
                #"stored Plant(id: 7, name: "Old"), page"#, #"Plant(id: 7, name: "New"), page"#,
            ]
        )
        scene.nursery.fail()
        await call.retry(.never).startStoredThenLive(dropping: .never, onlyData: true, ledger, on: ledger.queue)
            .finished()
        #expect(ledger.seen.all.last == #"stored Plant(id: 7, name: "New"), page"# && ledger.seen.all.count == 3)
    }

    final class Reader: CallObserver {
        let reports = Events<String>()

        func callEnded(_ report: CallReport) async {
            guard let (_, outcome) = report.of(ValuePlant.self) else { return }
            let source = report.isStored ? "stored" : "live"
            let key = report.key.map { ", key \($0)" } ?? ""
            switch outcome {
            case .success(let plant):
                reports.add("\(source) \(plant.name)\(report.storedAt == nil ? "" : " at a time")\(key)")
            case .failure: reports.add("\(source) failed")
            case .cancelled: reports.add("\(source) cancelled")
            }
        }
    }

    final class Observer: CallEventObserver {
        let action: @Sendable (CallEvent) -> Void
        init(_ action: @escaping @Sendable (CallEvent) -> Void) { self.action = action }
        func callChanged(_ event: CallEvent) { action(event) }
    }
}
#endif
