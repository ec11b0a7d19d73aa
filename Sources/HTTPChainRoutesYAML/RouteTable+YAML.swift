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
    /// The keys are the same as in JSON. Values are read according to the core schema (YAML 1.2.2 §10.3). Anchors,
    /// aliases and merge keys (`<<`) have their usual meaning.
    ///
    /// - Parameters:
    ///   - yaml: The bytes of the file: one UTF-8 document of at most 4 MiB, 64 levels and 200,000 values, with aliases
    ///     expanded.
    ///   - environment: The entry of the file's `environments` whose keys override those of `service`; none by default.
    ///   - overrides: Values that override both: `protocol`, `host`, `port`, `path`.
    /// - Throws: `RouteTableError` with all mistakes, with their lines and columns. If the YAML syntax is invalid, only
    ///   the first mistake in it is reported.
    public init(
        yaml: Data,
        environment: String? = nil,
        overrides: [String: String] = [:]
    ) throws(RouteTableError) {
        var parser = RouteYAMLParser()
        let root = parser.parse(yaml)
        try self.init(root, mistakes: parser.mistakes, environment: environment, overrides: overrides)
    }

    /// Reads a YAML file.
    ///
    /// - Parameters:
    ///   - file: The file, at most 4 MiB.
    ///   - environment: The same as for ``init(yaml:environment:overrides:)``.
    ///   - overrides: The same as for ``init(yaml:environment:overrides:)``.
    /// - Throws: `RouteTableError` with every mistake; `BodyError` if the file can't be read.
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
