import Foundation
import Testing

/// The rules of the folders: what each may import, and how its contents are named.
@Suite("The folders of the package")
struct HouseTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL

    /// The modules of this package that each library below the stages may import.
    private static let foundation: [String: Set<String>] = [
        "HTTPChainSupport": ["CImmediateFiles"],
        "HTTPChainParameters": ["HTTPChainSupport"],
        "HTTPChainRedaction": ["HTTPChainSupport"],
        "HTTPChainTime": ["HTTPChainSupport"],
        "HTTPChainValues": ["HTTPChainRedaction", "HTTPChainSupport"],
        "HTTPChainReports": ["HTTPChainRedaction", "HTTPChainSupport", "HTTPChainTime", "HTTPChainValues"],
        "HTTPChainCore": [
            "HTTPChainParameters", "HTTPChainRedaction", "HTTPChainReports", "HTTPChainSupport", "HTTPChainTime",
            "HTTPChainValues",
        ],
    ]

    /// The libraries that know the core and no stage.
    private static let transports: Set<String> = [
        "HTTPChainAsyncHTTPClient", "HTTPChainInMemory", "HTTPChainTesting", "HTTPChainURLSession", "HTTPChainValkey",
    ]

    /// The modules that a stage may import besides the core, the support target, C and the parts of the same concern.
    private static let exceptions: [String: Set<String>] = [
        "Auth/Valkey": ["HTTPChainValkey"],
        "Cache/Valkey": ["HTTPChainValkey"],
        "RateLimit/Valkey": ["HTTPChainValkey"],
        // Signatures choose their keys as authentication chooses its credentials.
        "Signing": ["HTTPChainAuth"],
        // Spans are sent by the shipper of logs.
        "Tracing/Shipping": ["HTTPChainLogShipper", "HTTPChainRemoteLogging"],
    ]

    /// The folders of the core, and what each contains.
    private static let core: [String: String] = [
        "Body": "the content of messages",
        "Chain": "stages, their order, and transports",
        "Connection": "what a call says and learns about its connection",
        "Deadline": "the time limits of calls and exchanges",
        "Environment": "the clock, random numbers and redaction of a call",
        "Errors": "what all errors have in common",
        "HTTPChainCore.docc": "the pages",
        "Message": "what requests and responses are",
        "Notes": "what stages tell each other",
        "Resilience": "what stages that retry or refuse requests share",
        "Telemetry": "what stages that report requests share",
        "Trace": "the recording of a call",
    ]

    private struct SourceFile {
        let path: String
        let code: [Substring]

        /// The modules of this package that the file imports.
        var imports: Set<String> {
            Set(
                code.filter { $0.hasPrefix("import ") || $0.contains(" import ") && !$0.hasPrefix(" ") }
                    .compactMap { $0.split(separator: " ").last.map(String.init) }
                    .filter { $0.hasPrefix("HTTPChain") || $0.hasPrefix("CI") }
            )
        }
    }

    /// Returns the Swift files of a folder, without those of other folders inside it.
    private static func files(in folder: String, without others: [String] = []) throws -> [SourceFile] {
        let place = root.appendingPathComponent(folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: place.path).filter { path in
            path.hasSuffix(".swift") && !others.contains { path.hasPrefix($0 + "/") }
        }
        #expect(!paths.isEmpty, "\(folder) has no Swift file")
        return try paths.map { path in
            let text = try String(contentsOf: place.appendingPathComponent(path), encoding: .utf8)
            let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            return SourceFile(path: "\(folder)/\(path)", code: code)
        }
    }

    private static func folders(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            at: root.appendingPathComponent(folder),
            includingPropertiesForKeys: [.isDirectoryKey]
        ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }.map(\.lastPathComponent)
            .sorted()
    }

    /// The folders of targets under `Middleware`, and the names of the targets, as `Package.swift` declares them.
    private static func stages() throws -> [(folder: String, module: String)] {
        let package = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        return package.matches(of: /\bstage\(\s*"([^"]+)"(?:,\s*named: "(\w+)")?/).map { match in
            let folder = String(match.1)
            return (folder, "HTTPChain" + (match.2.map(String.init) ?? folder.replacing("/", with: "")))
        }
    }

    @Test("The libraries below the stages import only what is below them", arguments: foundation.keys.sorted())
    func below(module: String) throws {
        let allowed = try #require(Self.foundation[module])
        for file in try Self.files(in: "Sources/\(module)") {
            let others = file.imports.subtracting(allowed)
            #expect(
                others.isEmpty,
                "\(file.path) imports \(others.sorted()), but \(module) may only import \(allowed.sorted())"
            )
        }
    }

    @Test("Transports and the test kit import no stage", arguments: transports.sorted())
    func aboveTheCore(module: String) throws {
        let allowed = Set(["HTTPChainCore", "HTTPChainSupport", "HTTPChainInMemory"])
        for file in try Self.files(in: "Sources/\(module)") {
            let others = file.imports.subtracting(allowed)
            #expect(others.isEmpty, "\(file.path) imports \(others.sorted()), but \(module) may not know a stage")
        }
    }

    @Test("A stage imports the core, the support target, and parts of the same concern")
    func imports() throws {
        let stages = try Self.stages()
        #expect(stages.count > 40)
        for (folder, module) in stages {
            let concern = folder.prefix { $0 != "/" }
            let own = stages.filter { $0.folder.prefix { $0 != "/" } == concern }.map(\.module)
            let allowed = Set(own + ["HTTPChainCore", "HTTPChainSupport"]).union(Self.exceptions[folder] ?? [])
            let inside = stages.filter { $0.folder.hasPrefix(folder + "/") }
                .map { String($0.folder.dropFirst(folder.count + 1)) }
            for file in try Self.files(in: "Middleware/\(folder)", without: inside) {
                let others = file.imports.subtracting(allowed)
                #expect(
                    others.isEmpty,
                    "\(file.path) imports \(others.sorted()); \(module) may only import \(allowed.sorted())"
                )
            }
        }
    }

    @Test("Each folder of Middleware is a concern with a target and a page, and nothing else is there")
    func concerns() throws {
        let concerns = Set(try Self.stages().map { String($0.folder.prefix { $0 != "/" }) })
        let folders = try Self.folders(in: "Middleware")
        #expect(Set(folders) == concerns, "a folder of Middleware is a concern, with a target in Package.swift")
        for folder in folders {
            let pages = try Self.folders(in: "Middleware/\(folder)").filter { $0.hasSuffix(".docc") }
            #expect(pages.count == 1, "Middleware/\(folder) needs one page, in a folder that ends in .docc")
        }
    }

    @Test("The core has the folders that are listed here")
    func foldersOfTheCore() throws {
        let folders = try Self.folders(in: "Sources/HTTPChainCore")
        #expect(folders == Self.core.keys.sorted(), "say here what each folder of the core contains")
    }

    @Test("The core has at most 5,000 lines of code")
    func lines() throws {
        let count = try Self.files(in: "Sources/HTTPChainCore").reduce(0) { $0 + $1.code.count }
        #expect(count > 1000)
        #expect(count <= 5000, "the core has \(count) lines: move what needs no message and no chain below it")
    }

    @Test("The core names no stage")
    func names() throws {
        for file in try Self.files(in: "Sources/HTTPChainCore")
        where !file.path.hasSuffix("/ClosureMiddleware.swift") {
            let line = file.code.first { $0.contains(/"[^"]*\w+Middleware\b[^"]*"/) }
            #expect(line == nil, "\(file.path) names a stage: \(line ?? "")")
        }
    }

    /// A key of an option in a line of code, and the suffix that its protocol demands.
    ///
    /// The suffix says who writes the value: an option is a caller's wish, a note is left by a stage or the chain for
    /// those inside, or on an error, and a fact tells what became of a response.
    private static func key(in line: Substring) -> (name: String, suffix: String)? {
        guard let match = line.firstMatch(of: /\b(?:enum|struct|class|actor|extension) (\w+): ([\w, .]+) \{/) else {
            return nil
        }
        let protocols = Set(match.2.split(separator: ", ").map(String.init))
        let suffixes = [
            ("Fact", ["ResponseOption"]), ("Note", ["ErrorNote", "RequestNote"]),
            ("Option", ["AwaitedOption", "RequestOption", "TargetOption", "TransportSwitch"]),
        ]
        return suffixes.first { !protocols.isDisjoint(with: $0.1) }.map { (String(match.1), $0.0) }
    }

    /// Returns the reason why the key in a line of code has another name than its protocol demands.
    private static func misnaming(in line: Substring) -> String? {
        guard let (name, suffix) = key(in: line), !name.hasSuffix(suffix) else { return nil }
        return "\(name) conforms to a protocol whose keys have names that end in \(suffix)"
    }

    @Test("The name of a key says who writes it: an option, a note or a fact")
    func keys() throws {
        var count = 0
        for folder in ["Sources", "Middleware"] {
            for file in try Self.files(in: folder) {
                count += file.code.count { Self.key(in: $0) != nil }
                let misnaming = file.code.lazy.compactMap { Self.misnaming(in: $0) }.first
                #expect(misnaming == nil, "\(file.path): \(misnaming ?? "")")
            }
        }
        #expect(count > 90)
    }

    @Test(
        "A key with the name of another kind is found",
        arguments: [
            ("package enum CallSpeed: RequestOption {", "Option"),
            ("enum LogNote: RequestOption, TransportSwitch {", "Option"),
            ("    fileprivate enum Option: ResponseOption {", "Fact"),
            ("package enum DeadlineOption: RequestOption, RequestNote {", "Note"),
            ("private struct SentBefore: ErrorNote, CustomStringConvertible {", "Note"),
            ("extension URLArguments: TargetOption {", "Option"),
        ]
    )
    func misnamedKey(line: String, suffix: String) {
        #expect(Self.misnaming(in: line[...])?.hasSuffix("that end in \(suffix)") == true)
    }

    @Test("Only the chain asks whether a transport is a chain")
    func chains() throws {
        for folder in ["Sources", "Middleware"] {
            for file in try Self.files(in: folder) where !file.path.hasPrefix("Sources/HTTPChainCore/Chain/") {
                let line = file.code.first { $0.contains(/\bself as\? Chain\b/) }
                #expect(line == nil, "\(file.path) asks whether it is a chain: use Chain+Nesting.swift")
            }
        }
    }

    @Test("The pictures of calls show files that exist", arguments: ["get.svg", "refresh.svg", "HowThisIsBuilt.md"])
    func pictures(name: String) throws {
        let pages = Self.root.appendingPathComponent("Sources/HTTPChain/HTTPChain.docc")
        let text = try String(contentsOf: pages.appendingPathComponent(name), encoding: .utf8)
        let shown = Set(text.matches(of: /[A-Za-z][\w+]*\.swift/).map { String($0.0) })
        #expect(shown.count > 10)
        let files = try ["Sources", "Middleware"].flatMap { try Self.files(in: $0) }
        let there = Set(
            files.compactMap { $0.path.split(separator: "/").last.map(String.init) } + [
                "HouseTests.swift", "Package.swift",
            ]
        )
        #expect(shown.subtracting(there).isEmpty, "\(name) shows \(shown.subtracting(there).sorted())")
    }
}
