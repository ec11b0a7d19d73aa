#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainInMemory
import HTTPChainPagination
import HTTPChainSupport
import HTTPChainTesting
import TestSupport
import Testing

private struct Person: Resource, Equatable {
    static let path = "people/{id}"
    static let listMember: String? = "items"
    var id: Int
    var name: String
    var nickname: String?
    var pets: [Pet] = []

    struct Pet: Codable, Equatable, Sendable { var name: String }
}

private struct Bed: Resource {
    static let path = "gardens/{garden}/beds/{label}"
    static let saving = ResourceSaving.jsonPatch
    var label: String
    var width: Int
}

private struct Note: Resource {
    static let path = "notes/{id}"
    static let saving = ResourceSaving.put
    var id: String?
    var text: String
}

private struct Account: Resource {
    static let path = "accounts/{id}"
    static let saving = ResourceSaving.put
    var id: UInt64
    var name: String
    var balance: Decimal
}

private struct Leaf: Resource {
    static let path = "leaves/{id}"
    var text: String
}

/// A format other than JSON.
private struct Format: Sendable {
    let serializer: any Serializer
    let encode: @Sendable (JSONValue) throws -> Data
    let decode: @Sendable (Data) throws -> JSONValue

    static let all = [
        Format(
            serializer: BuiltInSerializer.propertyList,
            encode: { try PropertyListEncoder().encode($0) },
            decode: { try PropertyListDecoder().decode(JSONValue.self, from: $0) }
        ),
        Format(
            serializer: DataMapper("reversed", contentType: "application/x-reversed") { value in
                Data(try JSONEncoder().encode(value).reversed())
            } decode: { data, type in
                try JSONDecoder().decode(type, from: Data(data.reversed()))
            },
            encode: { Data(try JSONEncoder().encode($0).reversed()) },
            decode: { try JSONDecoder().decode(JSONValue.self, from: Data($0.reversed())) }
        ),
    ]
}

/// A service of JSON objects with versions, kept in memory.
private final class ObjectService: Transport {
    struct Item: Sendable {
        var json: JSONValue
        var version = 1
    }

    struct State: Sendable {
        var items: [String: Item] = [:]
        var requests: [(head: HTTPRequest, body: Data)] = []
    }

    let state: Locked<State>
    let validators: @Sendable (Int) -> HTTPFields
    let answersWithContent: Bool
    var name: String { "objects" }
    var capabilities: TransportCapabilities { .closure }

    init(
        _ items: [String: JSONValue] = [:],
        answersWithContent: Bool = true,
        validators: @escaping @Sendable (Int) -> HTTPFields = { [.eTag: "\"v\($0)\""] }
    ) {
        state = Locked(State(items: items.mapValues { Item(json: $0) }))
        self.validators = validators
        self.answersWithContent = answersWithContent
    }

    subscript(path: String) -> JSONValue? { state.withLock { $0.items[path]?.json } }

    var requests: [(head: HTTPRequest, body: Data)] { state.withLock { $0.requests } }

    /// Somebody else changes an item.
    func change(_ path: String, _ patch: JSONValue) {
        state.withLock { state in
            guard let item = state.items[path] else { return }
            state.items[path] = Item(json: Patches.merge(patch, into: item.json), version: item.version + 1)
        }
    }

    func send(_ request: consuming Request) async throws -> Response {
        let head = request.head
        let body = try await request.body.collect()
        return try state.withLock { state in
            state.requests.append((head, body))
            let path = head.path ?? ""
            switch head.method {
            case .get where path.prefix { $0 != "?" }.hasSuffix("people"):
                let items = state.items.sorted { $0.key < $1.key }.map(\.value.json)
                return try reply(.ok, ["items": .array(items)])
            case .post:
                var json = try JSONDecoder().decode(JSONValue.self, from: body).object ?? [:]
                json["id"] = json["id"] ?? "n1"
                let text = json["id"]?.string ?? json["id"]?.integer.map(String.init) ?? ""
                state.items["\(path)/\(text)"] = Item(json: .object(json))
                return try reply(.created, .object(json), version: 1)
            default: break
            }
            guard var item = state.items[path] else { return Response(.notFound) }
            let current = validators(item.version)
            if let tag = head.headerFields[.ifMatch], tag != current[.eTag] { return Response(.preconditionFailed) }
            if let date = head.headerFields[.ifUnmodifiedSince], date != current[.lastModified] {
                return Response(.preconditionFailed)
            }
            switch (head.method, head.headerFields[.contentType]) {
            case (.get, _): return try reply(.ok, item.json, version: item.version, isRead: true)
            case (.delete, _):
                state.items[path] = nil
                return Response(.noContent)
            case (.patch, "application/merge-patch+json"):
                item.json = Patches.merge(try JSONDecoder().decode(JSONValue.self, from: body), into: item.json)
            case (.patch, "application/json-patch+json"):
                item.json = try Patches.apply(try JSONDecoder().decode([JSONValue].self, from: body), to: item.json)
            case (.put, "application/json"): item.json = try JSONDecoder().decode(JSONValue.self, from: body)
            default: return Response(.methodNotAllowed)
            }
            item.version += 1
            state.items[path] = item
            return try reply(.ok, item.json, version: item.version)
        }
    }

    private func reply(
        _ status: HTTPResponse.Status,
        _ json: JSONValue,
        version: Int? = nil,
        isRead: Bool = false
    ) throws -> Response {
        var fields = version.map(validators) ?? [:]
        if version != nil, version != 1, !isRead, !answersWithContent { return Response(.noContent, headers: fields) }
        fields[.contentType] = "application/json"
        return Response(status, headers: fields, body: HTTPBody(try JSONEncoder().encode(json)))
    }
}

@Suite("Resources", .heavy, .timeLimit(.minutes(10)))
struct ResourceTests {
    private static let ada: JSONValue = [
        "id": 5, "name": "Ada", "role": "analyst", "pets": [["name": "Puff", "kind": "cat"]],
    ]

    private static func client(_ service: ObjectService, _ way: Way = .memory) async throws -> Client {
        Client(over: try await way.chain(to: service))
    }

    @Test(
        "A resource is fetched, changed and saved: what changed alone is sent, with the version that was read",
        arguments: Way.allCases
    )
    func saves(way: Way) async throws {
        let service = ObjectService(["/people/5": Self.ada])
        let people = try await Self.client(service, way).resources(of: Person.self)
        var ada = try await people.fetch(5)
        #expect(ada.name == "Ada" && ada.entityTag == "\"v1\"")
        #expect(ada["role"] == "analyst")
        ada.name = "Ada L."
        ada["room"] = 12
        try await people.save(&ada)
        let sent = try #require(service.requests.last)
        #expect(sent.head.method == .patch)
        #expect(sent.head.headerFields[.ifMatch] == "\"v1\"")
        #expect(sent.head.headerFields[.contentType] == "application/merge-patch+json")
        #expect(String(decoding: sent.body, as: UTF8.self) == #"{"name":"Ada L.","room":12}"#)
        #expect(ada.entityTag == "\"v2\"" && ada["room"] == 12)
        #expect(try !ada.isChanged)
        // Nothing changed: nothing is sent.
        let count = service.requests.count
        try await people.save(&ada)
        #expect(service.requests.count == count)
    }

    @Test(
        "A property set to nil is removed, and members of elements that the type does not know stay",
        arguments: Way.allCases
    )
    func removes(way: Way) async throws {
        let service = ObjectService(["/people/5": Self.ada])
        let people = try await Self.client(service, way).resources(of: Person.self)
        var ada = try await people.fetch(5)
        ada.nickname = "Countess"
        ada.pets[0].name = "Muff"
        ada["role"] = nil
        try await people.save(&ada)
        #expect(
            service["/people/5"] == [
                "id": 5, "name": "Ada", "nickname": "Countess", "pets": [["name": "Muff", "kind": "cat"]],
            ]
        )
        ada.nickname = nil
        try await people.save(&ada)
        #expect(service["/people/5"]?["nickname"] == nil)
        #expect(String(decoding: service.requests.last?.body ?? Data(), as: UTF8.self) == #"{"nickname":null}"#)
    }

    @Test("A change that would overwrite somebody else's is an error, and nothing is lost", arguments: Way.allCases)
    func lostUpdate(way: Way) async throws {
        let service = ObjectService(["/people/5": Self.ada])
        let (transport, base) = try await way.transport(to: service)
        let bare = try Chain(transport: transport) { URLBuilderMiddleware(base: base) }
        for client in [try await Self.client(service, way), Client(over: bare)] {
            let people = try client.resources(of: Person.self)
            var ada = try await people.fetch(5)
            service.change("/people/5", ["role": "poet"])
            ada.name = "Augusta"
            let error = await #expect(throws: LostUpdateError.self) { try await people.save(&ada) }
            let unsaved = ada
            #expect(error?.resourceType == "Person")
            #expect(error?.entityTag == unsaved.entityTag)
            #expect(unsaved.value.name == "Augusta")
            await #expect(throws: LostUpdateError.self) { try await people.delete(unsaved) }
            #expect(service["/people/5"]?["role"] == "poet" && service["/people/5"]?["name"] == "Ada")
            try await people.reload(&ada)
            #expect(service.requests.last?.head.headerFields[.cacheControl] == "no-cache")
            ada.name = "Ada"
            ada["role"] = "analyst"
            try await people.save(&ada)
        }
        #expect(service["/people/5"] == Self.ada)
    }

    @Test("A weak entity tag is no precondition; the date of the last change is", arguments: Way.allCases)
    func weak(way: Way) async throws {
        let service = ObjectService(["/people/5": Self.ada]) {
            [.eTag: "W/\"v\($0)\"", .lastModified: "Sun, 06 Nov 1994 08:49:0\($0) GMT"]
        }
        let people = try await Self.client(service, way).resources(of: Person.self)
        var ada = try await people.fetch(5)
        service.change("/people/5", ["role": "poet"])
        ada.name = "Augusta"
        await #expect(throws: LostUpdateError.self) { try await people.save(&ada) }
        let sent = try #require(service.requests.last?.head.headerFields)
        #expect(sent[.ifMatch] == nil && sent[.ifUnmodifiedSince] == "Sun, 06 Nov 1994 08:49:01 GMT")
    }

    @Test("Resources are listed, created and deleted", arguments: Way.allCases)
    func collection(way: Way) async throws {
        let service = ObjectService(["/people/5": Self.ada])
        let people = try await Self.client(service, way).resources(of: Person.self)
        let bob = try await people.create(Person(id: 6, name: "Bob"), properties: ["role": "gardener"])
        #expect(bob.value == Person(id: 6, name: "Bob") && bob["role"] == "gardener" && bob.entityTag == "\"v1\"")
        #expect(try await people.list().map(\.name) == ["Ada", "Bob"])
        var names: [String] = []
        for try await page in people.listCall().pages(by: .linkHeader()) { names += page.value.map(\.name) }
        #expect(names == ["Ada", "Bob"])
        try await people.delete(bob)
        #expect(try await people.list().map(\.id) == [5])
        // What was listed has no version, and is saved as it is.
        var ada = try #require(try await people.list().first)
        ada.name = "Augusta"
        try await people.save(&ada)
        #expect(service["/people/5"]?["name"] == "Augusta")
    }

    @Test(
        "A type may send JSON Patch, or the whole object, and a reply without content is what was sent",
        arguments: Way.allCases
    )
    func otherWays(way: Way) async throws {
        let bed: JSONValue = ["label": "a/b", "width": 3, "x/y~z": ["deep": 1]]
        let service = ObjectService(
            ["/gardens/3/beds/a%2Fb": bed, "/notes/n1": ["id": "n1", "text": "water", "color": "red"]],
            answersWithContent: false
        )
        let client = try await Self.client(service, way)
        let beds = try client.resources(of: Bed.self, in: ["garden": 3])
        var record = try await beds.fetch("a/b")
        record.width = 4
        record["x/y~z"] = nil
        record["soil"] = "clay"
        try await beds.save(&record)
        #expect(
            String(decoding: service.requests.last?.body ?? Data(), as: UTF8.self) == """
                [{"op":"add","path":"/soil","value":"clay"},{"op":"replace","path":"/width","value":4},\
                {"op":"remove","path":"/x~1y~0z"}]
                """
        )
        #expect(service["/gardens/3/beds/a%2Fb"] == ["label": "a/b", "width": 4, "soil": "clay"])
        #expect(record.width == 4 && record["soil"] == "clay" && record.entityTag == "\"v2\"")
        let notes = try client.resources(of: Note.self)
        var note = try await notes.fetch("n1")
        note.text = "weed"
        try await notes.save(&note)
        #expect(service.requests.last?.head.method == .put)
        #expect(service["/notes/n1"] == ["id": "n1", "text": "weed", "color": "red"])
        let made = try await notes.create(Note(text: "mow"))
        #expect(made.id == "n1")
    }

    @Test(
        "Each operation is a call too: waited for without async, started, found by its key, with options of its own",
        arguments: Way.allCases
    )
    func calls(way: Way) async throws {
        let service = ObjectService(["/people/5": Self.ada])
        let client = try await Self.client(service, way)
        let people = try client.resources(of: Person.self)
        let limit = Duration.seconds(60)
        let names = try await offThePool {
            var ada = try people.fetchCall(5).header(.userAgent, "gardener").wait(atMost: limit)
            ada.name = "Augusta"
            ada = try people.saveCall(ada).wait(atMost: limit)
            let bob = try people.createCall(Person(id: 6, name: "Bob"), properties: ["role": "poet"]).wait(
                atMost: limit
            )
            let names = try people.listCall(["all": true]).wait(atMost: limit).map(\.name)
            try people.deleteCall(bob).wait(atMost: limit)
            return names + [ada.entityTag ?? "none", bob["role"]?.string ?? "none"]
        }
        #expect(names == ["Augusta", "Bob", "\"v2\"", "poet"])
        #expect(service.requests.first?.head.headerFields[.userAgent] == "gardener")
        #expect(service.requests.map(\.head.method) == [.get, .patch, .post, .get, .delete])
        #expect(service["/people/6"] == nil && service["/people/5"]?["role"] == "analyst")
        let seen = Events<String>()
        let queue = DispatchQueue(label: "people")
        await people.fetchCall(5).start(on: queue) { seen.add($0.output?.name ?? "none") }.finished()
        #expect(seen.all == ["Augusta"])
        let stalled = RegistryTests.Stalled()
        let slow = Client(over: stalled)
        let ada = try slow.resources(of: Person.self).fetchCall(5).key("ada")
        async let outcome = ada.outcome
        try await stalled.begun.wait(until: 1)
        #expect(slow.registry.cancel(key: "ada") == 1)
        #expect(await outcome.isCancelled)
        let nameless = try ResourceRecord(Note(text: "x"))
        let notes = try client.resources(of: Note.self)
        #expect(throws: ResourceError.self) { try notes.deleteCall(nameless) }
        #expect(throws: ResourceError.self) { try notes.saveCall(nameless) }
    }

    @Test(
        "A resource whose JSON lacks its identity is saved, reloaded and deleted where it was fetched",
        arguments: [true, false]
    )
    func fetchedIdentity(answersWithContent: Bool) async throws {
        let note: JSONValue = ["text": "x", "color": "red"]
        let service = ObjectService(["/notes/a%2Fb": note], answersWithContent: answersWithContent)
        let notes = try await Self.client(service).resources(of: Note.self)
        var record = try await notes.fetch("a/b")
        record.text = "y"
        record["size"] = 3
        try await notes.save(&record)
        #expect(service["/notes/a%2Fb"] == ["text": "y", "color": "red", "size": 3])
        record.text = "z"
        try await notes.save(&record)
        try await notes.reload(&record)
        #expect(record.text == "z" && record["color"] == "red" && record["size"] == 3)
        try await notes.delete(record)
        #expect(service["/notes/a%2Fb"] == nil)
    }

    @Test(
        "A created resource whose JSON lacks its identity has that of its location, if this is in the collection",
        arguments: [
            ("/notes/a%2Fb", "/notes/a%2Fb"), ("notes/9", "/notes/9"),
            ("https://garden.example.com/notes/9", "/notes/9"),
            ("/other/9", nil), ("/notes/9/more", nil), ("/notes/", nil), ("/notes/9?x=1", nil),
            ("https://other.example.com/notes/9", nil), (nil, nil),
        ] as [(String?, String?)]
    )
    func createdIdentity(location: String?, path: String?) async throws {
        let sent = Events<String>()
        let client = Client(over: try Garden.chain(over: Self.nameless(location, sent)))
        let notes = try client.resources(of: Note.self)
        let posted = Fetch<ResourceRecord<Note>>(path: "notes", result: .record())
        let created = try await notes.create(Note(text: "x"))
        let declared = try await client.makeCall(posted).with { request in
            var request = request
            request.method = .post
            return request
        }.value
        for record in [created, declared] {
            guard let path else {
                await #expect(throws: ResourceError.self) { try await notes.delete(record) }
                continue
            }
            var changed = record
            changed.text = "y"
            try await notes.save(&changed)
            #expect(sent.all.last == "PUT \(path)")
        }
    }

    @Test("A declared resource whose JSON lacks its identity is saved where it came from, if that is its type's path")
    func declaredIdentity() async throws {
        struct Get: TypedRequest {
            typealias Output = ResourceRecord<Note>
            var path: String
            var pathParameters: URLParameters { ["id": 5] }
            var result: ResultKind<Output> { .record() }
        }
        let sent = Events<String>()
        let client = Client(over: try Garden.chain(over: Self.nameless(nil, sent)))
        let notes = try client.resources(of: Note.self)
        for path in ["notes/{id}", "https://garden.example.com/notes/{id}"] {
            var record = try await client.makeCall(Get(path: path)).value
            record.text = "y"
            try await notes.save(&record)
            #expect(sent.all.last == "PUT /notes/5")
        }
        let other = try await client.makeCall(Get(path: "drafts/{id}/note")).value
        await #expect(throws: ResourceError.self) { try await notes.delete(other) }
    }

    /// A service whose objects have no identity; it creates them at a location.
    private static func nameless(_ location: String?, _ sent: Events<String>) -> ClosureTransport {
        ClosureTransport { request in
            sent.add("\(request.method) \(request.head.path ?? "")")
            var response = Response(
                request.method == .post ? .created : .ok,
                headers: [.contentType: "application/json"],
                body: #"{"text":"x"}"#
            )
            if request.method == .post { response.headers[.location] = location }
            response.request = request.head
            return response
        }
    }

    @Test("What is no resource is an error that says why", arguments: Way.allCases)
    func errors(way: Way) async throws {
        struct Flat: Resource { static let path = "flat" }
        struct Bare: Resource {
            static let path = "bare/{id}"
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws { try "bare".encode(to: encoder) }
            init() {}
        }
        let service = ObjectService(["/notes/n1": [1, 2]])
        let (transport, base) = try await way.transport(to: service)
        let client = Client(over: try Chain(transport: transport) { URLBuilderMiddleware(base: base) })
        let flat = #expect(throws: ResourceError.self) { try client.resources(of: Flat.self) }
        #expect(flat?.problem == .pathWithoutIdentity("flat"))
        let bare = #expect(throws: ResourceError.self) { try ResourceRecord(Bare()) }
        #expect(bare?.problem == .notAnObject("a Bare"))
        let notes = try client.resources(of: Note.self)
        let list = await #expect(throws: ResourceError.self) { try await notes.fetch("n1") }
        #expect(list?.problem == .notAnObject("the service's response for a Note"))
        let missing = await #expect(throws: ResourceError.self) { try await notes.fetch("n2") }
        #expect(missing?.problem == .status(404))
        await #expect(throws: ResourceError.self) { try await notes.list() }
        let nameless = try ResourceRecord(Note(text: "x"))
        let error = await #expect(throws: ResourceError.self) { try await notes.delete(nameless) }
        #expect(error?.problem == .noIdentity(property: "id"))
    }

    @Test("Numbers keep their digits when a resource is saved, declared or not")
    func digits() async throws {
        let sent = Events<(url: String, body: String)>()
        let service = ClosureTransport { request in
            if request.method != .get { sent.add((request.url, try await request.body.text())) }
            let text =
                #"{"balance":123456789012.123456789,"id":18446744073709551615,"#
                + #""name":"Ada","rate":9007199254740993.5,"total":9223372036854775809}"#
            return Response(.ok, headers: [.contentType: "application/json"], body: HTTPBody(text))
        }
        let client = Client(over: try Chain.standard(base: "https://api.example.com/v1/", over: service))
        let accounts = try client.resources(of: Account.self)
        var account = try await accounts.fetch(UInt64.max)
        #expect(account.id == .max && account.balance == Decimal(string: "123456789012.123456789"))
        account.name = "Bob"
        try await accounts.save(&account)
        let (url, body) = try #require(sent.all.first)
        let expected = "https://api.example.com/v1/accounts/18446744073709551615"
        #expect(url == expected)
        for member in [
            #""balance":123456789012.123456789"#, #""id":18446744073709551615"#, #""name":"Bob""#,
            #""rate":9007199254740993.5"#, #""total":9223372036854775809"#,
        ] { #expect(body.contains(member), "\(body)") }
        try await accounts.delete(try ResourceRecord(account.value))
        #expect(sent.all.last?.url == expected)
    }

    @Test("Resources have the format of the chain's serializer; patches are JSON", arguments: [0, 1])
    func formats(index: Int) async throws {
        let format = Format.all[index]
        let type = format.serializer.contentType
        let stored: JSONValue = ["id": "n1", "text": "x", "color": "red"]
        let sent = Events<(head: HTTPRequest, body: Data)>()
        let service = ClosureTransport { request in
            let (head, body) = (request.head, try await request.body.collect())
            sent.add((head, body))
            let content: JSONValue
            switch (head.method, head.path) {
            case (.delete, _): return Response(.ok, headers: [.contentType: "text/plain"], body: "OK")
            case (_, "/notes/n2"): return Response(.notFound, headers: [.contentType: "text/html"], body: "<p>none</p>")
            case (.get, "/notes"): content = [stored]
            case (.get, _): content = stored
            case (.patch, _):
                content = Patches.merge(try JSONDecoder().decode(JSONValue.self, from: body), into: stored)
            default: content = try format.decode(body)
            }
            return Response(.ok, headers: [.contentType: type], body: HTTPBody(try format.encode(content)))
        }
        let chain = try Chain(transport: service) {
            SerializerMiddleware(format.serializer)
            URLBuilderMiddleware(base: "https://a.example")
        }
        let client = Client(over: chain)
        let notes = try client.resources(of: Note.self)
        var note = try await notes.fetch("n1")
        #expect(sent.all.last?.head.headerFields[.accept] == type)
        note.text = "y"
        try await notes.save(&note)
        let changed: JSONValue = ["id": "n1", "text": "y", "color": "red"]
        let put = try #require(sent.all.last)
        #expect(put.head.method == .put && put.head.headerFields[.contentType] == type)
        #expect(try format.decode(put.body) == changed)
        #expect(note.text == "y" && note["color"] == "red")
        #expect(try await notes.create(Note(text: "z")).text == "z")
        let post = try #require(sent.all.last)
        #expect(post.head.method == .post && post.head.headerFields[.contentType] == type)
        #expect(try await notes.list().map(\.text) == ["x"])

        let leaves = try client.resources(of: Leaf.self)
        var leaf = try await leaves.fetch("n1")
        leaf.text = "y"
        try await leaves.save(&leaf)
        let patch = try #require(sent.all.last)
        #expect(patch.head.headerFields[.contentType] == "application/merge-patch+json")
        #expect(patch.body == Data(#"{"text":"y"}"#.utf8) && leaf["color"] == "red")

        try await notes.delete(note)
        let error = await #expect(throws: ResourceError.self) { try await notes.fetch("n2") }
        #expect(error?.problem == .status(404))
    }

    @Test("A record is saved where the collection is, whichever one it came from")
    func otherCollection() async throws {
        let bed: JSONValue = ["label": "a", "width": 3]
        let service = ObjectService(["/gardens/3/beds/a": bed, "/gardens/4/beds/a": bed])
        let client = try await Self.client(service)
        var record = try await client.resources(of: Bed.self, in: ["garden": 3]).fetch("a")
        record.width = 4
        try await client.resources(of: Bed.self, in: ["garden": 4]).save(&record)
        #expect(service["/gardens/3/beds/a"] == bed)
        #expect(service["/gardens/4/beds/a"] == ["label": "a", "width": 4])
    }

    @Test("Mocks give records, and calls of resources are found by their type")
    func mocks() async throws {
        let client = Client(endpoints: [
            Endpoint.mock(FetchResource<Person>.self) { request in
                guard case .integer(let id)? = request.pathParameters["id"] else { throw Withered() }
                return try ResourceRecord(Person(id: Int(id), name: "Mock"), properties: ["role": "none"])
            },
            Endpoint.mock(SaveResource<Person>.self) { $0.record },
        ])
        let people = try client.resources(of: Person.self)
        var mock = try await people.fetch(9)
        #expect(mock.name == "Mock" && mock["role"] == "none")
        mock.name = "Rock"
        try await people.save(&mock)
        #expect(mock.name == "Rock")
        await #expect(throws: UnsupportedRequestError.self) { try await people.list() }
    }

    struct Withered: Error {}
}
#endif
