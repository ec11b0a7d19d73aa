// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let core = Target.Dependency.product(name: "HTTPChainCore", package: "swift-http-chain")
let codings = ["Gzip", "Brotli", "Zstd"].map {
    Target.Dependency.product(name: "HTTPChain\($0)", package: "swift-http-chain")
}
let inMemory = Target.Dependency.product(name: "HTTPChainInMemory", package: "swift-http-chain")
let stages = [
    "Auth", "AuthDigest", "Cache", "CacheEncrypted", "CacheSQLite", "CircuitBreaker", "Client", "ConcurrencyLimit",
    "Cookies", "ErrorHandler", "EventStream", "Fallback", "HAR", "Headers", "Hedging", "LoadShedding", "LogShipper",
    "LogSpool", "Metrics", "Progress", "RateLimit", "Redirect", "RemoteLogging", "Retry", "Serializer",
    "Signing", "StatusValidation", "Timeout", "TraceShipping", "Tracing",
].map {
    Target.Dependency.product(name: "HTTPChain\($0)", package: "swift-http-chain")
}
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let multipart = Target.Dependency.product(name: "HTTPChainMultipart", package: "swift-http-chain")
let urlBuilder = Target.Dependency.product(name: "HTTPChainURLBuilder", package: "swift-http-chain")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "swift-http-chain",
            path: "../..",
            traits: ["SQLite", "Brotli", "Tracing", "Zstd", "AsyncHTTPClient"]
        ),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .target(name: "MallocCounter"),
        .target(name: "DiskStall"),
        .target(name: "ImmediateReads"),
        .target(
            name: "CodecLoops",
            linkerSettings: ["z", "brotlidec", "brotlienc", "zstd"].map { .linkedLibrary($0) }
        ),
        .target(
            name: "Scenarios",
            dependencies: [
                "CodecLoops", core, httpTypes, inMemory, logging, multipart, urlBuilder,
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HTTPChain", package: "swift-http-chain"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
            ] + stages + codings,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Figures",
            dependencies: [
                "Scenarios", "MallocCounter", "DiskStall", "ImmediateReads", core, httpTypes,
                .product(name: "HTTPChainLogShipper", package: "swift-http-chain"),
                .product(name: "HTTPChainLogSpool", package: "swift-http-chain"),
                .product(name: "HTTPChainRemoteLogging", package: "swift-http-chain"),
                .product(name: "HTTPChainAsyncHTTPClient", package: "swift-http-chain"),
                .product(name: "HTTPChainURLSession", package: "swift-http-chain"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ChainBenchmarks",
            dependencies: ["Scenarios", .product(name: "Benchmark", package: "benchmark")],
            path: "Benchmarks/ChainBenchmarks",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
    ]
)
