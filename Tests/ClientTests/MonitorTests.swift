#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting
import Observation
import TestSupport
import Testing

/// Responds to each request when a test says so.
private final class SlowGarden: Transport {
    let goesOn = Rendezvous()
    let begun = Counter()
    let hasNetwork = Rendezvous()
    private let waitsForNetwork: Bool

    init(waitsForNetwork: Bool = false) { self.waitsForNetwork = waitsForNetwork }

    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        begun.add()
        if waitsForNetwork {
            let report = request.options[ConnectivityReportNote.self]
            report?(true)
            try await hasNetwork.wait()
            report?(false)
        }
        let (method, path) = (request.method, request.head.path ?? "")
        try await goesOn.wait()
        return Garden.answer(method, path)
    }
}

private struct WeakReference {
    weak var value: CallMonitor?
}

@Suite("Progress of typed calls for a user interface", .timeLimit(.minutes(10)))
struct MonitorTests {
    @Test("The progress of a call arrives on the main actor, in order, before its value", arguments: Way.allCases)
    @MainActor
    func mainActor(way: Way) async throws {
        let client = Client(over: try await way.chain(to: GardenTransport()))
        var reports: [TransferProgress] = []
        let plant = try await client.makeCall(AddPlant(plant: Garden.rose)).withProgress { @MainActor progress in
            MainActor.assertIsolated()
            reports.append(progress)
        }
        #expect(plant.name == "Oak")
        let directions = reports.map(\.direction)
        let uploads = directions.prefix { $0 == .upload }.count
        #expect(uploads >= 2 && directions.dropFirst(uploads).allSatisfy { $0 == .download })
        #expect(reports.first?.completed == 0 && reports.last?.isLast == true && reports.last?.fraction == 1)
    }

    @Test("An operation with the call may read a stream to its end, and its error is thrown")
    @MainActor
    func operation() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        var reports: [TransferProgress] = []
        let text = try await client.makeCall(GetStream(path: "plants/7")).withProgress { @MainActor progress in
            reports.append(progress)
        } perform: { call in
            try await call.value.text()
        }
        #expect(text.contains("Rose"))
        #expect(reports.last?.isLast == true && reports.last?.completed == Int64(text.utf8.count))
        reports = []
        await #expect(throws: StatusError.self) {
            try await client.makeCall(GetPlant(id: 8)).withProgress { @MainActor in reports.append($0) }
        }
        #expect(reports.last?.isLast == true)
    }

    @Test("A monitor of a client shows the running calls, and updates whoever observes it")
    @MainActor
    func client() async throws {
        let garden = SlowGarden()
        let client = Client(over: try Garden.chain(over: garden))
        let monitor = CallMonitor(client)
        #expect(monitor.count == 0 && !monitor.isActive && monitor.progress == nil && monitor.fraction == nil)
        let changes = Counter()
        withObservationTracking {
            _ = monitor.isActive
        } onChange: {
            changes.add()
        }
        let calls = (0..<3).map { _ in Task { try await client.call(GetPlant(id: 7)) } }
        try await until("three calls to run") { monitor.count == 3 && garden.begun.value == 3 }
        #expect(monitor.isActive && changes.value == 1)
        garden.goesOn.reach()
        for call in calls { _ = try await call.value }
        try await until("the calls to end") { monitor.count == 0 }
        #expect(monitor.progress?.isLast == true && monitor.fraction == 1)
    }

    @Test("A monitor with a tag shows the calls with the tag, and one of an endpoint without activity shows none")
    @MainActor
    func tag() async throws {
        let garden = SlowGarden()
        let chain = try Garden.chain(over: garden)
        let client = Client(endpoints: [Endpoint("garden", over: chain)])
        let quiet = Client(endpoints: [Endpoint("garden", over: chain).showingActivity(false)])
        let (tagged, all, none) = (CallMonitor(client, tag: "photo"), CallMonitor(client), CallMonitor(quiet))
        let calls = [
            Task { try await client.makeCall(GetPlant(id: 7)).tags("photo", "page").value },
            Task { try await client.makeCall(GetPlant(id: 7)).tags("page").value },
            Task { try await quiet.makeCall(GetPlant(id: 7)).tags("photo").value },
        ]
        try await until("the calls to run") { garden.begun.value == 3 && all.count == 2 && tagged.count == 1 }
        #expect(none.count == 0)
        garden.goesOn.reach()
        for call in calls { _ = try await call.value }
        try await until("the calls to end") { all.count == 0 && tagged.count == 0 }
        #expect(none.progress == nil)
    }

    @Test("A monitor of calls shows those alone, also of several clients and again")
    @MainActor
    func calls() async throws {
        let garden = SlowGarden()
        let clients = try (0..<2).map { _ in Client(over: try Garden.chain(over: garden)) }
        let monitor = CallMonitor()
        let call = clients[0].makeCall(GetPlant(id: 7)).monitoring(by: monitor)
        let other = clients[1].makeCall(GetPlant(id: 7)).monitoring(by: monitor)
        let unmonitored = clients[0].makeCall(GetPlant(id: 7))
        let running = [call, other, call, unmonitored].map { call in Task { try await call.value } }
        try await until("the calls to run") { garden.begun.value == 4 && monitor.count == 3 }
        garden.goesOn.reach()
        for call in running { _ = try await call.value }
        try await until("the calls to end") { monitor.count == 0 && monitor.fraction == 1 }
    }

    @Test("A monitor shows that a call waits for a network, until it goes on or ends", arguments: [true, false])
    @MainActor
    func waiting(goesOn: Bool) async throws {
        let garden = SlowGarden(waitsForNetwork: true)
        let monitor = CallMonitor()
        let call = Client(over: try Garden.chain(over: garden)).makeCall(GetPlant(id: 7)).monitoring(by: monitor)
        let running = Task { try await call.value }
        try await until("the call to wait") { monitor.isWaitingForConnectivity && monitor.count == 1 }
        if goesOn {
            garden.hasNetwork.reach()
            try await until("the call to go on") { !monitor.isWaitingForConnectivity && monitor.count == 1 }
            garden.goesOn.reach()
            _ = try await running.value
        } else {
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
        }
        try await until("the call to end") { !monitor.isWaitingForConnectivity && monitor.count == 0 }
    }

    @Test("A failed and a cancelled call are no activity, and a duplicate isn't either")
    @MainActor
    func ends() async throws {
        let garden = SlowGarden()
        let client = Client(over: try Garden.chain(over: garden))
        let monitor = CallMonitor(client)
        let hanging = Task { try await client.makeCall(GetPlant(id: 7)).duplicates(false).value }
        try await until("the call to run") { monitor.count == 1 }
        await #expect(throws: DuplicateCallError.self) {
            try await client.makeCall(GetPlant(id: 7)).duplicates(false).value
        }
        hanging.cancel()
        await #expect(throws: CancellationError.self) { try await hanging.value }
        garden.goesOn.reach()
        await #expect(throws: StatusError.self) { try await client.call(GetPlant(id: 8)) }
        try await until("the calls to end") { monitor.count == 0 && !monitor.isActive }
    }

    @Test("A monitor that nobody has any more ends, and its calls go on")
    @MainActor
    func gone() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        var monitor: CallMonitor? = CallMonitor()
        let call = try client.makeCall(GetPlant(id: 7)).monitoring(by: #require(monitor))
        let weakMonitor = WeakReference(value: monitor)
        monitor = nil
        #expect(weakMonitor.value == nil)
        #expect(try await call.value == Garden.rose)
    }
}
#endif
