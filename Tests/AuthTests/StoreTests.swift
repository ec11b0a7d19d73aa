#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

/// A directory of a test, removed with it.
private final class Directory: Sendable {
    private let scratch: ScratchDirectory
    var url: URL { scratch.url }
    var file: URL { scratch.file("credentials.json") }
    var names: [String] { scratch.names }

    init() throws { scratch = try ScratchDirectory.created() }

    func mode(_ url: URL) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int)
    }

    func setMode(_ mode: Int, _ url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }
}

@Suite("Stores of credentials", .timeLimit(.minutes(10)))
struct StoreTests {
    enum Kind: CaseIterable { case memory, file }

    @Test("A store keeps, replaces and forgets", arguments: Kind.allCases)
    func contract(kind: Kind) async throws {
        let directory = try Directory()
        let store: any CredentialStore =
            switch kind {
            case .memory: InMemoryCredentialStore()
            case .file: FileCredentialStore(at: directory.file)
            }
        let space = ProtectionSpace(origin: .of(url), realm: "a \"b\"", scheme: "Digest")
        let keys: [String] = ["service", space.description, "", "\u{1F511}/\n"]
        for key in keys {
            #expect(try await store.credential(for: key) == nil)
            try await store.removeCredential(for: key)
            try await store.set(ada, for: key)
            try await store.set(Credential(user: "\(key)", password: "ü:\n\u{0}"), for: key)
        }
        for key in keys {
            #expect(try await store.credential(for: key) == Credential(user: "\(key)", password: "ü:\n\u{0}"))
            try await store.removeCredential(for: key)
            #expect(try await store.credential(for: key) == nil)
        }
    }

    @Test("Spaces that differ in anything have keys that differ")
    func keys() throws {
        let (a, b) = (Origin.of("https://a.example"), Origin.of("https://b.example"))
        let spaces = [
            ProtectionSpace(origin: a, realm: nil, scheme: "basic"),
            ProtectionSpace(origin: b, realm: nil, scheme: "basic"),
            ProtectionSpace(origin: a, realm: "", scheme: "basic"),
            ProtectionSpace(origin: a, realm: "r", scheme: "basic"),
            ProtectionSpace(origin: a, realm: "r", scheme: "digest"),
            ProtectionSpace(origin: a, realm: "r", target: .proxy, scheme: "basic"),
            ProtectionSpace(origin: a, realm: "r\" at \(b)", scheme: "basic"),
        ]
        #expect(Set(spaces.map { $0.description }).count == spaces.count)
        #expect(ProtectionSpace(origin: a, realm: "r", scheme: "BASIC") == spaces[3])
    }
}

@Suite("The store in a file", .timeLimit(.minutes(10)))
struct FileStoreTests {
    private func problem(_ operation: () async throws -> Void) async -> CredentialStoreError.Problem? {
        do {
            try await operation()
            return nil
        } catch {
            #expect((error as? CredentialStoreError)?.description.contains("lovelace") != true)
            return (error as? CredentialStoreError)?.problem
        }
    }

    @Test("The file is JSON that only its owner can read, and nothing else is left beside it but the lock")
    func format() async throws {
        let directory = try Directory()
        let store = FileCredentialStore(at: directory.file)
        try await store.set(ada, for: "service")
        #expect(try directory.mode(directory.file) == 0o600)
        #expect(directory.names == ["credentials.json", "credentials.json.lock"])
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file)) as? [String: Any]
        let entries = json?["credentials"] as? [String: [String: String]]
        #expect(entries == ["service": ["user": "ada", "password": "lovelace"]])
        #expect(json?["version"] as? Int == 1)
        // Another store on the file sees it, as the next run of a program does.
        #expect(try await FileCredentialStore(at: directory.file).credential(for: "service") == ada)
    }

    @Test("A file that others can reach is not read and not written", arguments: [0o640, 0o604, 0o620, 0o610, 0o666])
    func mode(mode: Int) async throws {
        let directory = try Directory()
        let store = FileCredentialStore(at: directory.file)
        try await store.set(ada, for: "service")
        try directory.setMode(mode, directory.file)
        let expected = CredentialStoreError.Problem.readableByOthers(mode: UInt16(mode))
        #expect(await problem { _ = try await store.credential(for: "service") } == expected)
        #expect(await problem { try await store.set(grace, for: "service") } == expected)
        try directory.setMode(0o600, directory.file)
        #expect(try await store.credential(for: "service") == ada)
    }

    @Test(
        "A damaged file is an error and stays as it is",
        arguments: ["", "{", "[]", "{\"version\":2,\"credentials\":{}}"]
    )
    func corrupt(text: String) async throws {
        let directory = try Directory()
        let store = FileCredentialStore(at: directory.file)
        try Data(text.utf8).write(to: directory.file)
        try directory.setMode(0o600, directory.file)
        #expect(await problem { _ = try await store.credential(for: "service") } == .corrupt)
        #expect(await problem { try await store.set(ada, for: "service") } == .corrupt)
        #expect(await problem { try await store.removeCredential(for: "service") } == .corrupt)
        #expect(try Data(contentsOf: directory.file) == Data(text.utf8))
    }

    @Test("A directory, and a place in a directory that is not there, are errors")
    func places() async throws {
        let directory = try Directory()
        let folder = FileCredentialStore(at: directory.url)
        #expect(await problem { _ = try await folder.credential(for: "a") } == .notAFile)
        let nowhere = FileCredentialStore(at: directory.url.appending(path: "none/credentials.json"))
        #expect(try await nowhere.credential(for: "a") == nil)
        guard case .system = await problem({ try await nowhere.set(ada, for: "a") }) else {
            return #expect(Bool(false))
        }
    }

    @Test(
        "A file of another user is not read and not written",
        .enabled(if: geteuid() == 0, "only root can give a file away")
    )
    func otherOwner() async throws {
        let directory = try Directory()
        let store = FileCredentialStore(at: directory.file)
        try await store.set(ada, for: "a")
        let bytes = try Data(contentsOf: directory.file)
        try #require(chown(directory.file.path, 65_534, 65_534) == 0)
        #expect(await problem { _ = try await store.credential(for: "a") } == .ownedByAnother)
        #expect(await problem { try await store.set(grace, for: "b") } == .ownedByAnother)
        #expect(await problem { try await store.removeCredential(for: "a") } == .ownedByAnother)
        #expect(try Data(contentsOf: directory.file) == bytes)
    }

    @Test("What the system refuses is told with the operation, the number and the place, and no secret")
    func refusedBySystem() async throws {
        let directory = try Directory()
        let file = directory.url.appending(path: "none/credentials.json")
        let error = await #expect(throws: CredentialStoreError.self) {
            try await FileCredentialStore(at: file).set(ada, for: "a")
        }
        guard case .system(let operation, let code, let message)? = error?.problem else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(code == ENOENT && !operation.isEmpty)
        #expect(message == String(cString: strerror(ENOENT)))
        #expect(error?.path.hasSuffix("/none/credentials.json") == true)
        #expect(error?.reason.contains(message) == true && error?.reason.contains("lovelace") == false)
    }

    @Test("Nothing is made by forgetting what is not there")
    func forgetting() async throws {
        let directory = try Directory()
        try await FileCredentialStore(at: directory.file).removeCredential(for: "a")
        #expect(directory.names.isEmpty)
    }

    @Test("A file that cannot be replaced stays whole, and nothing is left behind")
    func unwritable() async throws {
        // Root may write anywhere.
        guard geteuid() != 0 else { return }
        let directory = try Directory()
        let store = FileCredentialStore(at: directory.file)
        try await store.set(ada, for: "a")
        try directory.setMode(0o500, directory.url)
        guard case .system = await problem({ try await store.set(grace, for: "a") }) else {
            return #expect(Bool(false))
        }
        try directory.setMode(0o700, directory.url)
        #expect(try await store.credential(for: "a") == ada)
        #expect(directory.names == ["credentials.json", "credentials.json.lock"])
    }

    @Test("A link is followed, and stays a link")
    func link() async throws {
        let directory = try Directory()
        let link = directory.url.appending(path: "link.json")
        try await FileCredentialStore(at: directory.file).set(ada, for: "a")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.file)
        try await FileCredentialStore(at: link).set(grace, for: "b")
        let store = FileCredentialStore(at: directory.file)
        #expect(try await store.credential(for: "a") == ada)
        #expect(try await store.credential(for: "b") == grace)
        #expect(throws: Never.self) { try FileManager.default.destinationOfSymbolicLink(atPath: link.path) }
    }

    @Test("Writers at the same time do not lose each other's changes, and readers see whole files")
    func writers() async throws {
        let directory = try Directory()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let store = FileCredentialStore(at: directory.file, patience: .seconds(50))
                    try await store.set(
                        Credential(user: "\(number)", password: "x"),
                        for: "key \(number)"
                    )
                    _ = try await store.credential(for: "key 0")
                }
            }
            try await group.waitForAll()
        }
        let store = FileCredentialStore(at: directory.file)
        for number in 0..<40 {
            #expect(try await store.credential(for: "key \(number)")?.user == "\(number)")
        }
    }

    @Test("Another process that keeps the lock is waited for, as long as patience lasts, and the wait can be cancelled")
    func lock() async throws {
        let directory = try Directory()
        let lock = open(directory.file.path + ".lock", O_RDWR | O_CREAT, 0o600)
        try #require(lock >= 0)
        try #require(flock(lock, LOCK_EX) == 0)
        let hasty = FileCredentialStore(at: directory.file, time: VirtualClock.automatic())
        #expect(await problem { try await hasty.set(ada, for: "a") } == .locked)
        let clock = VirtualClock()
        let store = FileCredentialStore(at: directory.file, time: clock)
        let cancelled = Task { try await store.set(ada, for: "a") }
        try await clock.waitForSleepers()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let patient = Task { try await store.set(ada, for: "a") }
        try await clock.waitForSleepers()
        close(lock)
        clock.advanceToNextDeadline()
        try await patient.value
        #expect(try await store.credential(for: "a") == ada)
    }
}

@Suite("Tokens in a store", .timeLimit(.minutes(10)))
struct TokenStoreTests {
    private let full = AccessToken(
        "abc",
        expiration: Date(timeIntervalSince1970: 1_700_000_000.5),
        refreshToken: "r/1+2=",
        scope: ["read", "write"]
    )

    @Test("A token survives being written and read, whole or with nothing but its text")
    func coding() throws {
        for token in [full, AccessToken("abc")] {
            let bytes = try JSONEncoder().encode(token)
            #expect(try JSONDecoder().decode(AccessToken.self, from: bytes) == token)
        }
        let names = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(full)) as? [String: Any]
        )
        #expect(Set(names.keys) == ["access_token", "expires_at", "refresh_token", "scope"])
    }

    @Test("A file keeps, replaces and forgets a token, for the next start too")
    func contract() async throws {
        let directory = try Directory()
        func store() -> any TokenStore { FileTokenStore(at: directory.file) }
        #expect(try await store().token() == nil)
        try await store().removeToken()
        try await store().save(AccessToken("old"))
        try await store().save(full)
        #expect(try await store().token() == full)
        #expect(try directory.mode(directory.file) == 0o600)
        try await store().removeToken()
        #expect(try await store().token() == nil)
    }

    @Test("A file that others can reach is not read, and one that is damaged not written over")
    func fileSafety() async throws {
        let directory = try Directory()
        let store = FileTokenStore(at: directory.file)
        try await store.save(full)
        try directory.setMode(0o644, directory.file)
        var error = await #expect(throws: CredentialStoreError.self) { try await store.token() }
        #expect(error?.problem == .readableByOthers(mode: 0o644))
        try Data("{".utf8).write(to: directory.file)
        try directory.setMode(0o600, directory.file)
        error = await #expect(throws: CredentialStoreError.self) { try await store.save(full) }
        #expect(error?.problem == .corrupt)
        #expect(try String(contentsOf: directory.file, encoding: .utf8) == "{")
    }

    @Test("A stage keeps each new token before it is used, and the next start begins with it")
    func stage() async throws {
        let directory = try Directory()
        for number in 1...2 {
            let store = FileTokenStore(at: directory.file)
            let source = TokenSource { _, _ in AccessToken(Secret("token-\(number)"), refreshToken: "next") }
            let stage = BearerAuthMiddleware(
                source,
                for: "https://api.example.com",
                token: try await store.token(),
                saving: store
            )
            #expect(await StageHarness(stage).send(.get(url)).requests.map(\.token) == ["token-1"])
            #expect(source.count == (number == 1 ? 1 : 0))
            #expect(try await store.token()?.refreshToken == "next")
        }
    }
}

@Suite("The place of a store's file", .timeLimit(.minutes(10)))
struct StorePlaceTests {
    @Test(
        "A directory of another user, anywhere above the file, is refused for reading and writing",
        .enabled(if: geteuid() == 0, "only root can give a directory away")
    )
    func directoryOfAnother() async throws {
        let directory = try Directory()
        let outer = directory.url.appending(path: "a")
        let inner = outer.appending(path: "b")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let store = FileCredentialStore(at: inner.appending(path: "credentials.json"))
        try await store.set(ada, for: "a")
        for place in [inner, outer] {
            try #require(chown(place.path, 65_534, 65_534) == 0)
            let expected = CredentialStoreError.Problem.directoryOwnedByAnother(place.path)
            for (what, use) in [
                ("reading", { _ = try await store.credential(for: "a") }),
                ("writing", { try await store.set(grace, for: "b") }),
            ] as [(String, () async throws -> Void)] {
                let error = await #expect(throws: CredentialStoreError.self, "\(what)") { try await use() }
                #expect(error?.problem == expected, "\(what)")
            }
            try #require(chown(place.path, 0, 0) == 0)
        }
        #expect(try await store.credential(for: "a") == ada)
    }

    @Test("A directory that others can write, anywhere above the file, is refused for reading and writing")
    func writableParents() async throws {
        let directory = try Directory()
        let inner = directory.url.appending(path: "a/b")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let store = FileCredentialStore(at: inner.appending(path: "credentials.json"))
        let tokens = FileTokenStore(at: inner.appending(path: "token.json"))
        try await store.set(ada, for: "service")
        try await tokens.save(AccessToken("abc"))
        for place in [inner, directory.url.appending(path: "a")] {
            for mode in [0o777, 0o775, 0o757] {
                try directory.setMode(mode, place)
                let problem = CredentialStoreError.Problem.directoryWritableByOthers(
                    place.resolvingSymlinksInPath().path,
                    mode: UInt16(mode)
                )
                var error = await #expect(throws: CredentialStoreError.self) {
                    try await store.credential(for: "service")
                }
                #expect(error?.problem == problem)
                #expect(error?.description.contains("chmod go-w") == true)
                error = await #expect(throws: CredentialStoreError.self) { try await store.set(grace, for: "other") }
                #expect(error?.problem == problem)
                error = await #expect(throws: CredentialStoreError.self) { try await tokens.token() }
                #expect(error?.problem == problem)
            }
            // With the sticky bit only its owner can replace a file, as in /tmp.
            try directory.setMode(0o1777, place)
            #expect(try await store.credential(for: "service") == ada)
            try directory.setMode(0o755, place)
        }
        #expect(try await store.credential(for: "other") == nil)
    }
}

@Suite("Credentials out of a store")
struct StoredCredentialTests {
    private let space = ProtectionSpace(origin: .of(url), realm: "docs", scheme: "basic")

    @Test("What is kept serves without asking; what is given is kept; what is rejected stays until there is another")
    func cycle() async throws {
        let store = InMemoryCredentialStore()
        let asked = ListedCredentials([ada, grace])
        let provider = StoredCredentialProvider(store, for: "https://api.example.com", asking: asked)
        #expect(try await provider.credential(for: space, rejected: nil) == ada)
        #expect(try await provider.credential(for: space, rejected: nil) == ada)
        #expect(asked.questions.count == 1)
        #expect(store.credential(for: space.description) == ada)
        #expect(try await provider.credential(for: space, rejected: ada) == grace)
        #expect(store.credential(for: space.description) == grace)
        #expect(try await provider.credential(for: space, rejected: grace) == nil)
        #expect(store.credential(for: space.description) == grace)
    }

    @Test("One 401 that has nothing to do with the password does not make it forgotten")
    func spurious() async throws {
        let directory = try Directory()
        let store = FileCredentialStore(at: directory.file)
        let key = ProtectionSpace(origin: .of(url), realm: "docs", scheme: "basic").description
        try await store.set(ada, for: key)
        let stage = BasicAuthMiddleware(StoredCredentialProvider(store, for: "https://api.example.com"))
        let outcome = await StageHarness(stage)
            .send(.get(url), answering: .challenge("Basic realm=docs"), .challenge("Basic realm=docs"))
        #expect(outcome.authorizations == [nil, adaField])
        #expect(try await store.credential(for: key) == ada)
        let later = await StageHarness(stage).send(.get(url), answering: .challenge("Basic realm=docs"), .ok)
        #expect(later.authorizations.contains(adaField))
    }

    @Test("A stored credential is not given to other origins, and nobody is asked for them")
    func elsewhere() async throws {
        let asked = ListedCredentials([ada])
        let store = InMemoryCredentialStore(["service": ada])
        let provider = StoredCredentialProvider(store, for: "https://a.example", service: "service", asking: asked)
        #expect(try await provider.credential(for: space, rejected: nil) == nil)
        #expect(asked.questions.isEmpty)
    }

    @Test("A stored credential is sent in a chain, and nobody is asked again when the program starts again")
    func chain() async throws {
        let directory = try Directory()
        let asked = ListedCredentials([ada])
        for _ in 0..<2 {
            let provider = StoredCredentialProvider(
                FileCredentialStore(at: directory.file),
                for: "https://api.example.com",
                asking: asked
            )
            let outcome = await StageHarness(BasicAuthMiddleware(provider))
                .send(.get(url), answering: .challenge("Basic realm=docs"), .ok)
            #expect(outcome.authorizations == [nil, adaField])
        }
        #expect(asked.questions.count == 1)
    }
}
#endif
