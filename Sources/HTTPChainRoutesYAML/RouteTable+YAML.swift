#if YAML
public import Foundation
import HTTPChainCore
public import HTTPChainRoutes

extension RouteTable {
    /// Reads a table from YAML.
    ///
    /// ```swift
    /// let table = try RouteTable(
    ///     yaml: Data(
    ///         """
    ///         service: { host: api.example.com, path: /v2 }
    ///         routes:
    ///           doc: { path: "documents/{uniqueId}", cacheTTL: 3600 }
    ///         """.utf8
    ///     )
    /// )
    /// ```
    ///
    /// The keys are those of JSON. Values are read by the core schema (YAML 1.2.2 §10.3); anchors, aliases and merge keys
    /// (`<<`) do what they do elsewhere.
    ///
    /// - Parameters:
    ///   - yaml: The bytes of the file: one document in UTF-8 of at most 4 MiB, 64 levels and 200,000 values, counting
    ///     what aliases stand for.
    ///   - environment: Which of the file's `environments` says where the service is, key by key over `service`; none
    ///     by default.
    ///   - overrides: What stands over both: `protocol`, `host`, `port`, `path`.
    /// - Throws: `RouteTableError` with every mistake, each with its line and column; of mistakes in the syntax of YAML,
    ///   the first.
    public init(
        yaml: Data,
        environment: String? = nil,
        overrides: [String: String] = [:]
    ) throws(RouteTableError) {
        var parser = RouteYAMLParser()
        let root = parser.parse(yaml)
        try self.init(root, mistakes: parser.mistakes, environment: environment, overrides: overrides)
    }

    /// Reads a file of YAML.
    ///
    /// - Parameters:
    ///   - file: The file; at most 4 MiB.
    ///   - environment: As for ``init(yaml:environment:overrides:)``.
    ///   - overrides: As for ``init(yaml:environment:overrides:)``.
    /// - Throws: `RouteTableError` with every mistake; `BodyError` for a file that cannot be read.
    public static func load(
        yaml file: URL,
        environment: String? = nil,
        overrides: [String: String] = [:]
    ) async throws -> RouteTable {
        let bytes = try await HTTPBody.file(file).collect(upTo: ByteCount(Int64(maximumFileSize)))
        return try RouteTable(yaml: bytes, environment: environment, overrides: overrides)
    }
}
#endif
