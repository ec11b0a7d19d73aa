// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = {
    var settings: [SwiftSetting] = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if Context.environment["HTTPCHAIN_WARNINGS_AS_ERRORS"] == "1" {
        settings.append(.treatAllWarnings(as: .error))
    }
    return settings
}()

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

/// A library under `Sources/`.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The stores, codecs and exporters of a concern, by the folder of the concern; each is a target of its own.
let partsOfConcerns = [
    "Auth": ["Digest", "OAuth", "Valkey"],
    "Cache": ["Encrypted", "SQLite", "Valkey"],
    "Cookies": ["Foundation"],
    "ErrorHandler": ["XML"],
    "Gzip": ["Brotli", "Zstd"],
    "RateLimit": ["Valkey"],
    "RemoteLogging": ["ServiceLifecycle", "Shipper", "Spool"],
    "Serializer": ["XML"],
    "Signing": ["RSA"],
    "Tracing": ["Shipping"],
]

/// A concern under `Middleware/`, or a part of one in a folder inside it.
///
/// It sees the core, the support target, and no other stage.
func stage(_ folder: String, named name: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: "HTTPChain" + (name ?? folder.filter { $0 != "/" }),
        dependencies: ["HTTPChainCore", "HTTPChainSupport", httpTypes] + dependencies,
        path: "Middleware/\(folder)",
        exclude: partsOfConcerns[folder] ?? [],
        swiftSettings: settings
    )
}

extension Target {
    /// The target with its privacy manifest, which the App Store asks of code that reads the times of files.
    ///
    /// Only Xcode on a Mac makes use of it; elsewhere a program would get a bundle of resources for nothing.
    func withPrivacyManifest() -> Target {
        #if os(macOS)
        resources = [.copy("PrivacyInfo.xcprivacy")]
        #else
        exclude += ["PrivacyInfo.xcprivacy"]
        #endif
        return self
    }
}

/// The tests of one target, under `Tests/`.
func tests(
    _ name: String,
    of dependencies: [Target.Dependency],
    excluding excluded: [String] = [],
    resources: [Resource]? = nil
) -> Target {
    .testTarget(
        name: name,
        dependencies: [
            "HTTPChainCore", "HTTPChainSupport", "HTTPChainInMemory", "HTTPChainTesting", "TestSupport", httpTypes,
        ]
            + dependencies,
        exclude: excluded,
        resources: resources,
        swiftSettings: settings
    )
}

/// A program under `Examples/`.
func example(
    _ name: String,
    _ dependencies: [Target.Dependency],
    excluding excluded: [String] = [],
    resources: [Resource]? = nil
) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["HTTPChain"] + dependencies,
        path: "Examples/\(name)",
        exclude: excluded,
        resources: resources,
        swiftSettings: settings
    )
}

/// The stages that the umbrella re-exports: those without a dependency of their own.
let lightStages = [
    "Auth", "Cache", "CircuitBreaker", "Coalescing", "ConcurrencyLimit", "Cookies", "ErrorHandler", "EventStream",
    "Fallback", "Gzip", "Headers", "Hedging", "LoadShedding", "Multipart", "Progress", "RateLimit", "Redirect",
    "RemoteLogging", "RequestProcessor", "Retry", "Serializer", "StatusValidation", "Timeout", "URLBuilder",
]

/// SHA-2 and MD5 where the system brings no CryptoKit.
let crypto = Target.Dependency.product(
    name: "Crypto",
    package: "swift-crypto",
    condition: .when(platforms: [.linux, .android, .windows, .wasi, .openbsd])
)

/// RSA, which no other module of the system's or of swift-crypto has.
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")

/// The API of traces, and the tracer that keeps spans in memory, for tests.
let tracing = ["Tracing", "InMemoryTracing"].map {
    Target.Dependency.product(
        name: $0,
        package: "swift-distributed-tracing",
        condition: .when(traits: ["Tracing"])
    )
}

let serviceLifecycle = Target.Dependency.product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle",
    condition: .when(traits: ["ServiceLifecycle"])
)

let unixSignals = Target.Dependency.product(
    name: "UnixSignals",
    package: "swift-service-lifecycle",
    condition: .when(traits: ["ServiceLifecycle"])
)

let structuredFields = Target.Dependency.product(
    name: "RawStructuredFieldValues",
    package: "swift-http-structured-headers"
)

let asyncHTTPClient = Target.Dependency.product(
    name: "AsyncHTTPClient",
    package: "async-http-client",
    condition: .when(traits: ["AsyncHTTPClient"])
)

/// The parts of SwiftNIO that the transport over AsyncHTTPClient names itself.
let nio: [Target.Dependency] =
    ["NIOCore", "NIOHTTP1", "NIOPosix"].map {
        .product(name: $0, package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"]))
    } + [
        .product(name: "NIOHPACK", package: "swift-nio-http2", condition: .when(traits: ["AsyncHTTPClient"])),
        .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["AsyncHTTPClient"])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["AsyncHTTPClient"])),
    ]

/// The parts of SwiftNIO that the client of Valkey and Redis is made of.
let valkeyNIO: [Target.Dependency] =
    ["NIOCore", "NIOPosix"].map {
        .product(name: $0, package: "swift-nio", condition: .when(traits: ["Valkey"]))
    } + [.product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Valkey"]))]

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"]))
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: ["SQLite"]))

let xmlCoder = Target.Dependency.product(name: "XMLCoder", package: "XMLCoder", condition: .when(traits: ["XML"]))

let yams = Target.Dependency.product(name: "Yams", package: "Yams", condition: .when(traits: ["YAML"]))

/// What the plug-in of the compiler reads and writes Swift with.
let swiftSyntax = ["SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"].map {
    Target.Dependency.product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

let compilerPlugin = Target.Dependency.product(
    name: "SwiftCompilerPlugin",
    package: "swift-syntax",
    condition: .when(traits: ["Macros"])
)

/// The platforms that have package managers for C libraries; elsewhere `pkgConfig` would find the Mac's libraries.
let librariesOfPackageManagers: [Platform] = [.macOS, .linux, .android, .windows, .openbsd]

let brotli = Target.Dependency.target(
    name: "CBrotli",
    condition: .when(platforms: librariesOfPackageManagers, traits: ["Brotli"])
)

let zstd = Target.Dependency.target(
    name: "CZstd",
    condition: .when(platforms: librariesOfPackageManagers, traits: ["Zstd"])
)

let package = Package(
    name: "swift-http-chain",
    // The newest thing that is used without a check is `withDiscardingTaskGroup`.
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "HTTPChain", targets: ["HTTPChain"]),
        .library(name: "HTTPChainCore", targets: ["HTTPChainCore"]),
        .library(name: "HTTPChainURLSession", targets: ["HTTPChainURLSession"]),
        .library(name: "HTTPChainInMemory", targets: ["HTTPChainInMemory"]),
        .library(name: "HTTPChainAsyncHTTPClient", targets: ["HTTPChainAsyncHTTPClient"]),
        .library(name: "HTTPChainAuthDigest", targets: ["HTTPChainAuthDigest"]),
        .library(name: "HTTPChainAuthValkey", targets: ["HTTPChainAuthValkey"]),
        .library(name: "HTTPChainBrotli", targets: ["HTTPChainBrotli"]),
        .library(name: "HTTPChainCacheEncrypted", targets: ["HTTPChainCacheEncrypted"]),
        .library(name: "HTTPChainCacheSQLite", targets: ["HTTPChainCacheSQLite"]),
        .library(name: "HTTPChainCacheValkey", targets: ["HTTPChainCacheValkey"]),
        .library(name: "HTTPChainClient", targets: ["HTTPChainClient"]),
        .library(name: "HTTPChainContentDigest", targets: ["HTTPChainContentDigest"]),
        .library(name: "HTTPChainCookiesFoundation", targets: ["HTTPChainCookiesFoundation"]),
        .library(name: "HTTPChainErrorHandlerXML", targets: ["HTTPChainErrorHandlerXML"]),
        .library(name: "HTTPChainHAR", targets: ["HTTPChainHAR"]),
        .library(name: "HTTPChainHARTesting", targets: ["HTTPChainHARTesting"]),
        .library(name: "HTTPChainLogShipper", targets: ["HTTPChainLogShipper"]),
        .library(name: "HTTPChainLogSpool", targets: ["HTTPChainLogSpool"]),
        .library(name: "HTTPChainMacros", targets: ["HTTPChainMacros"]),
        .library(name: "HTTPChainMetrics", targets: ["HTTPChainMetrics"]),
        .library(name: "HTTPChainOAuth", targets: ["HTTPChainOAuth"]),
        .library(name: "HTTPChainOData", targets: ["HTTPChainOData"]),
        .library(name: "HTTPChainPagination", targets: ["HTTPChainPagination"]),
        .library(name: "HTTPChainRateLimitValkey", targets: ["HTTPChainRateLimitValkey"]),
        .library(
            name: "HTTPChainRemoteLoggingServiceLifecycle",
            targets: ["HTTPChainRemoteLoggingServiceLifecycle"]
        ),
        .library(name: "HTTPChainResumableUpload", targets: ["HTTPChainResumableUpload"]),
        .library(name: "HTTPChainRoutes", targets: ["HTTPChainRoutes"]),
        .library(name: "HTTPChainRoutesYAML", targets: ["HTTPChainRoutesYAML"]),
        .library(name: "HTTPChainSerializerXML", targets: ["HTTPChainSerializerXML"]),
        .library(name: "HTTPChainSigning", targets: ["HTTPChainSigning"]),
        .library(name: "HTTPChainSigningRSA", targets: ["HTTPChainSigningRSA"]),
        .library(name: "HTTPChainTesting", targets: ["HTTPChainTesting"]),
        .library(name: "HTTPChainTraceShipping", targets: ["HTTPChainTraceShipping"]),
        .library(name: "HTTPChainTracing", targets: ["HTTPChainTracing"]),
        .library(name: "HTTPChainValkey", targets: ["HTTPChainValkey"]),
        .library(name: "HTTPChainZstd", targets: ["HTTPChainZstd"]),
    ] + lightStages.map { .library(name: "HTTPChain\($0)", targets: ["HTTPChain\($0)"]) },
    traits: [
        .trait(
            name: "AllTests",
            description: "All suites of this package's own tests; nobody who uses the package needs it."
        ),
        .trait(
            name: "AsyncHTTPClient",
            description: "AsyncHTTPClientTransport, for servers: brings in async-http-client and SwiftNIO."
        ),
        .trait(
            name: "Brotli",
            description: "The content coding brotli, for GzipMiddleware, on macOS and Linux: needs libbrotli."
        ),
        .trait(name: "Macros", description: "Clients declared as annotated protocols: brings in swift-syntax."),
        .trait(
            name: "ServiceLifecycle",
            description: "LogShipper as a Service that is flushed on shutdown: brings in swift-service-lifecycle."
        ),
        .trait(name: "SQLite", description: "SQLiteCacheStore, for CacheMiddleware: brings in GRDB."),
        .trait(name: "Tracing", description: "TracingMiddleware: brings in swift-distributed-tracing."),
        .trait(
            name: "Valkey",
            description: "Caches, rate limits and tokens that machines share in Valkey or Redis: brings in SwiftNIO."
        ),
        .trait(name: "YAML", description: "Files of routes in YAML, for HTTPChainRoutes: brings in Yams."),
        .trait(name: "XML", description: "The serializer .xml, for SerializerMiddleware: brings in XMLCoder."),
        .trait(
            name: "Zstd",
            description: "The content coding zstd, for GzipMiddleware, on macOS and Linux: needs libzstd."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.36.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/CoreOffice/XMLCoder", from: "0.18.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        // Reads of files that never wait for a disk, which Swift cannot ask Linux for.
        .target(name: "CImmediateFiles"),
        library("HTTPChainSupport", ["CImmediateFiles", httpTypes]).withPrivacyManifest(),
        // Parts of the core that depend on no message and no chain. They aren't products: the core re-exports them.
        library("HTTPChainParameters", ["HTTPChainSupport"]),
        library("HTTPChainRedaction", ["HTTPChainSupport", httpTypes]),
        library("HTTPChainValues", ["HTTPChainRedaction", "HTTPChainSupport", httpTypes]),
        library("HTTPChainTime", ["HTTPChainSupport"]),
        library(
            "HTTPChainReports",
            ["HTTPChainRedaction", "HTTPChainSupport", "HTTPChainTime", "HTTPChainValues", httpTypes]
        ),
        library(
            "HTTPChainCore",
            [
                "HTTPChainParameters", "HTTPChainRedaction", "HTTPChainReports", "HTTPChainSupport", "HTTPChainTime",
                "HTTPChainValues", httpTypes,
            ]
        ),
        library("HTTPChainURLSession", ["HTTPChainCore", "HTTPChainSupport", httpTypes]),
        library("HTTPChainInMemory", ["HTTPChainCore", "HTTPChainSupport", httpTypes]),
        library(
            "HTTPChainAsyncHTTPClient",
            ["HTTPChainCore", "HTTPChainSupport", httpTypes, asyncHTTPClient, crypto] + nio
        ),
        library("HTTPChainValkey", ["HTTPChainCore", "HTTPChainSupport"] + valkeyNIO),
        library(
            "HTTPChainTesting",
            [
                "HTTPChainCore", "HTTPChainSupport", "HTTPChainInMemory", httpTypes,
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ]
        ),
        library("HTTPChainHARTesting", ["HTTPChainCore", "HTTPChainSupport", "HTTPChainHAR"]),
        library(
            "HTTPChainClient",
            [
                "HTTPChainCore", "HTTPChainSupport", "HTTPChainCache", "HTTPChainEventStream", "HTTPChainInMemory",
                "HTTPChainPagination",
                "HTTPChainProgress", "HTTPChainRetry", "HTTPChainSerializer", "HTTPChainTimeout", "HTTPChainURLBuilder",
                httpTypes,
            ]
        ),
        library(
            "HTTPChainPagination",
            ["HTTPChainCore", "HTTPChainSupport", "HTTPChainURLBuilder", httpTypes]
        ),
        // Apart from the plug-in, because tests that name a plug-in are built for the host, with all of the package.
        library("MacroExpansion", swiftSyntax),
        .macro(name: "MacroPlugin", dependencies: ["MacroExpansion", compilerPlugin], swiftSettings: settings),
        library(
            "HTTPChainMacros",
            ["HTTPChain", "HTTPChainClient", "HTTPChainPagination", "HTTPChainSupport", "MacroPlugin", httpTypes]
        ),
        library("HTTPChainOData", ["HTTPChainCore", "HTTPChainSupport", "HTTPChainURLBuilder", httpTypes]),
        library(
            "HTTPChainRoutes",
            [
                "HTTPChainCore", "HTTPChainSupport", "HTTPChainAuth", "HTTPChainCache", "HTTPChainClient",
                "HTTPChainCookies", "HTTPChainGzip", "HTTPChainHeaders", "HTTPChainMultipart", "HTTPChainSerializer",
                "HTTPChainURLBuilder", httpTypes,
            ]
        ),
        library("HTTPChainRoutesYAML", ["HTTPChainCore", "HTTPChainRoutes", yams]),
        library(
            "HTTPChain",
            ["HTTPChainCore", "HTTPChainURLSession", httpTypes]
                + lightStages.map { .target(name: "HTTPChain\($0)") }
        ),

        // Not a system library with a `pkgConfig`: Xcode would link an iOS app with the Mac's zlib.
        .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
        // The encoder's description brings in all that the decoder needs.
        .systemLibrary(
            name: "CBrotli",
            pkgConfig: "libbrotlienc",
            providers: [.apt(["libbrotli-dev"]), .yum(["brotli-devel"]), .brew(["brotli"])]
        ),
        .systemLibrary(
            name: "CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .yum(["libzstd-devel"]), .brew(["zstd"])]
        ),

        stage("Auth").withPrivacyManifest(),
        stage("Auth/Digest", ["HTTPChainAuth", crypto]),
        stage("Auth/Valkey", ["HTTPChainAuth", "HTTPChainValkey", crypto]),
        stage("Gzip/Brotli", named: "Brotli", ["HTTPChainGzip", brotli]),
        stage("Cache", [structuredFields]).withPrivacyManifest(),
        stage("Cache/Encrypted", ["HTTPChainCache", crypto]),
        stage("Cache/SQLite", ["HTTPChainCache", grdb, sqlite]).withPrivacyManifest(),
        stage("Cache/Valkey", ["HTTPChainCache", "HTTPChainValkey"]),
        stage("CircuitBreaker"),
        stage("Coalescing"),
        stage("ConcurrencyLimit"),
        stage("Cookies"),
        stage("Cookies/Foundation", ["HTTPChainCookies"]),
        stage("ContentDigest", [crypto, structuredFields]),
        stage("ErrorHandler"),
        stage("ErrorHandler/XML", ["HTTPChainErrorHandler", xmlCoder]),
        stage("EventStream"),
        stage("Fallback"),
        stage("Gzip", ["CZlib"]),
        stage("HAR", ["CZlib"]),
        stage("Headers"),
        stage("Hedging"),
        stage("LoadShedding"),
        stage("RemoteLogging/Shipper", named: "LogShipper", ["HTTPChainRemoteLogging", logging, metrics]),
        stage(
            "RemoteLogging/Spool",
            named: "LogSpool",
            ["HTTPChainLogShipper", "HTTPChainRemoteLogging", "CZlib", logging, metrics]
        ),
        stage("Metrics", [metrics, structuredFields]),
        stage("Multipart"),
        stage("Auth/OAuth", named: "OAuth", ["HTTPChainAuth", crypto]),
        stage("Progress"),
        stage("RateLimit", [structuredFields]),
        stage("RateLimit/Valkey", ["HTTPChainRateLimit", "HTTPChainValkey"]),
        stage("Redirect"),
        stage("RemoteLogging", [logging, structuredFields]),
        stage("RemoteLogging/ServiceLifecycle", ["HTTPChainLogShipper", serviceLifecycle]),
        stage("RequestProcessor"),
        stage("ResumableUpload", [crypto, structuredFields]),
        stage("Retry"),
        stage("Serializer"),
        stage("Serializer/XML", ["HTTPChainSerializer", xmlCoder]),
        stage("Signing", ["HTTPChainAuth", crypto, structuredFields]),
        stage("Signing/RSA", ["HTTPChainSigning", cryptoExtras]),
        stage("StatusValidation"),
        stage("Timeout"),
        stage(
            "Tracing/Shipping",
            named: "TraceShipping",
            ["HTTPChainLogShipper", "HTTPChainRemoteLogging", "HTTPChainTracing", logging, tracing[0]]
        ),
        stage("Tracing", [tracing[0]]),
        stage("URLBuilder"),
        stage("Gzip/Zstd", named: "Zstd", ["HTTPChainGzip", zstd]),

        .target(
            name: "TestSupport",
            dependencies: ["HTTPChainCore", "HTTPChainSupport", "HTTPChainInMemory", "HTTPChainTesting", httpTypes],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        tests(
            "HTTPChainTests",
            of: [
                "HTTPChain", "HTTPChainAuthDigest", "HTTPChainClient", "HTTPChainContentDigest", "HTTPChainHAR",
                "HTTPChainLogShipper", "HTTPChainOAuth", "HTTPChainPagination", "HTTPChainResumableUpload",
                "HTTPChainRoutes", "HTTPChainSigning", "AppNames", "ServerNames", logging,
            ]
        ),
        .target(name: "AppNames", path: "Tests/Neighbors/AppNames", swiftSettings: settings),
        .target(name: "ServerNames", path: "Tests/Neighbors/ServerNames", swiftSettings: settings),
        tests(
            "HTTPChainCoreTests",
            of: ["HTTPChainRedaction", "HTTPChainReports", "HTTPChainTime"],
            resources: [.copy("Resources")]
        ),
        tests(
            "GrowthTests",
            of: [
                "HTTPChainAuth", "HTTPChainAuthDigest", "HTTPChainBrotli", "HTTPChainCache",
                "HTTPChainCacheValkey", "HTTPChainContentDigest", "HTTPChainCookies",
                "HTTPChainErrorHandler", "HTTPChainErrorHandlerXML", "HTTPChainEventStream", "HTTPChainGzip",
                "HTTPChainHAR", "HTTPChainLogShipper", "HTTPChainLogSpool", "HTTPChainMultipart", "HTTPChainOData",
                "HTTPChainPagination", "HTTPChainRateLimit", "HTTPChainRedirect", "HTTPChainRemoteLogging",
                "HTTPChainResumableUpload", "HTTPChainRoutes", "HTTPChainRoutesYAML", "HTTPChainSerializer",
                "HTTPChainSigning", "HTTPChainStatusValidation", "HTTPChainURLBuilder", "HTTPChainValkey",
                "HTTPChainZstd", logging,
            ]
        ),
        tests(
            "HTTPChainURLSessionTests",
            of: ["HTTPChainURLSession", .product(name: "FlyingSocks", package: "FlyingFox")]
        ),
        tests("HTTPChainInMemoryTests", of: []),
        tests(
            "HTTPChainAsyncHTTPClientTests",
            of: ["HTTPChainAsyncHTTPClient", "HTTPChainAuthDigest", "HTTPChainRedirect"] + nio
        ),
        tests("HTTPChainTestingTests", of: []),
        tests("AuthTests", of: ["HTTPChainAuth"]),
        tests(
            "AuthDigestTests",
            of: ["HTTPChainAuthDigest", "HTTPChainAuth", "HTTPChainContentDigest", "HTTPChainGzip"]
        ),
        tests("ChaosTests", of: ["HTTPChain", "HTTPChainAsyncHTTPClient"]),
        tests(
            "CacheTests",
            of: [
                "HTTPChainCache", "HTTPChainCacheEncrypted", "HTTPChainCacheSQLite", "HTTPChainCacheValkey",
                "HTTPChainValkey", "ValkeyServer", "HTTPChainCoalescing", "HTTPChainURLSession",
                "HTTPChainAsyncHTTPClient", "CacheKillDrill", "DrillSupport", grdb,
            ]
        ),
        .executableTarget(
            name: "CacheKillDrill",
            dependencies: ["HTTPChainCore", "HTTPChainCache", "HTTPChainCacheSQLite", "DrillSupport", httpTypes],
            path: "Tests/CacheKillDrill",
            swiftSettings: settings
        ),
        tests(
            "CircuitBreakerTests",
            of: ["HTTPChainCircuitBreaker", "HTTPChainCache", "HTTPChainErrorHandler", "HTTPChainRetry"]
        ),
        tests("ClientTests", of: ["HTTPChainClient", "HTTPChain", "HTTPChainCacheSQLite"]),
        tests(
            "CoalescingTests",
            of: [
                "HTTPChainCoalescing", "HTTPChainConcurrencyLimit", "HTTPChainProgress", "HTTPChainRateLimit",
                "HTTPChainRedirect", "HTTPChainRetry", "HTTPChainTimeout",
            ]
        ),
        tests("ConcurrencyLimitTests", of: ["HTTPChainConcurrencyLimit", "HTTPChainTimeout"]),
        tests(
            "CookiesTests",
            of: [
                "HTTPChainCookies", "HTTPChainCookiesFoundation", "HTTPChainRemoteLogging", "CookieKillDrill", logging,
            ],
            resources: [.copy("Resources")]
        ),
        .executableTarget(
            name: "CookieKillDrill",
            dependencies: ["HTTPChainCookies", "DrillSupport"],
            path: "Tests/CookieKillDrill",
            swiftSettings: settings
        ),
        .target(name: "DrillSupport", path: "Tests/DrillSupport", swiftSettings: settings),
        tests("ContentDigestTests", of: ["HTTPChainContentDigest"]),
        tests("ErrorHandlerTests", of: ["HTTPChainErrorHandler", "HTTPChainStatusValidation"]),
        tests(
            "ErrorHandlerXMLTests",
            of: ["HTTPChainErrorHandlerXML", "HTTPChainErrorHandler", "HTTPChainStatusValidation"]
        ),
        tests(
            "EventStreamTests",
            of: [
                "HTTPChainEventStream", "HTTPChainCache", "HTTPChainCoalescing", "HTTPChainGzip", "HTTPChainRedirect",
                "HTTPChainRetry", "HTTPChainStatusValidation", "HTTPChainTimeout", "HTTPChainURLSession",
                "HTTPChainAsyncHTTPClient", "EventContractService",
            ]
        ),
        .executableTarget(
            name: "EventContractService",
            dependencies: [
                "HTTPChainCore", "HTTPChainEventStream", "HTTPChainRedirect", "HTTPChainTesting", "HTTPChainURLSession",
                "HTTPChainAsyncHTTPClient", httpTypes,
            ],
            path: "Tests/EventContractService",
            swiftSettings: settings
        ),
        tests("FallbackTests", of: ["HTTPChainFallback", "HTTPChainCache", "HTTPChainURLBuilder"]),
        tests(
            "GzipTests",
            of: [
                "HTTPChainGzip", "HTTPChainBrotli", "HTTPChainZstd", "HTTPChainConcurrencyLimit",
                "HTTPChainContentDigest", "HTTPChainURLSession", "HTTPChainAsyncHTTPClient",
            ]
        ),
        tests(
            "HedgingTests",
            of: [
                "HTTPChainHedging", "HTTPChainAuth", "HTTPChainCircuitBreaker", "HTTPChainConcurrencyLimit",
                "HTTPChainRateLimit", "HTTPChainRetry", "HTTPChainURLSession",
            ]
        ),
        tests(
            "HARTests",
            of: [
                "HTTPChain", "HTTPChainHAR", "HTTPChainHARTesting", "HTTPChainAsyncHTTPClient", "CZlib", "HARKillDrill",
            ],
            resources: [.copy("Resources")]
        ),
        .executableTarget(
            name: "HARKillDrill",
            dependencies: ["HTTPChainCore", "HTTPChainHAR", "DrillSupport", httpTypes],
            path: "Tests/HARKillDrill",
            swiftSettings: settings
        ),
        tests("HeadersTests", of: ["HTTPChainHeaders"]),
        tests(
            "InteroperabilityTests",
            of: [
                "HTTPChain", "HTTPChainAuthDigest", "HTTPChainContentDigest", "HTTPChainAsyncHTTPClient",
                "HTTPChainResumableUpload",
            ],
            excluding: ["frames.py", "servers", "trusting"]
        ),
        tests("LoadSheddingTests", of: ["HTTPChainLoadShedding"]),
        tests(
            "MacrosTests",
            of: [
                "HTTPChain", "HTTPChainClient", "HTTPChainHAR", "HTTPChainMacros", "HTTPChainMetrics",
                "HTTPChainOData", "HTTPChainTracing", "MacroExpansion", metrics,
            ] + swiftSyntax + tracing
        ),
        tests(
            "MetricsTests",
            of: [
                "HTTPChainMetrics", "HTTPChainAuth", "HTTPChainCache", "HTTPChainCoalescing", "HTTPChainGzip",
                "HTTPChainHedging", "HTTPChainRedirect", "HTTPChainRetry", "HTTPChainTimeout", "HTTPChainURLBuilder",
                metrics,
            ]
        ),
        tests(
            "MultipartTests",
            of: ["HTTPChainMultipart", "HTTPChainProgress", "HTTPChainSerializer", "HTTPChainURLSession"],
            resources: [.copy("Resources")]
        ),
        tests("OAuthTests", of: ["HTTPChainOAuth", "HTTPChainAuth", "HTTPChainURLSession", "SignInServer"]),
        .target(
            name: "SignInServer",
            dependencies: ["HTTPChainCore", "HTTPChainOAuth", httpTypes],
            path: "Examples/SignIn/AuthorizationServer",
            swiftSettings: settings
        ),
        tests(
            "ODataTests",
            of: ["HTTPChainOData", "HTTPChainPagination", "HTTPChain"],
            excluding: ["evaluate.py", "odata.abnf", "parse.py"]
        ),
        tests("PaginationTests", of: ["HTTPChainPagination", "HTTPChain"]),
        tests("ProgressTests", of: ["HTTPChainProgress", "HTTPChainGzip"]),
        tests("RateLimitTests", of: ["HTTPChainRateLimit", "HTTPChainCircuitBreaker"]),
        tests("RedirectTests", of: ["HTTPChainRedirect"]),
        tests(
            "RemoteLoggingTests",
            of: [
                "HTTPChainRemoteLogging", "HTTPChainLogShipper", "HTTPChainLogSpool",
                "HTTPChainRemoteLoggingServiceLifecycle", "HTTPChainGzip", "HTTPChainURLSession", "LogSpoolKillDrill",
                logging, metrics, serviceLifecycle, unixSignals,
            ],
            resources: [.copy("Resources")]
        ),
        .executableTarget(
            name: "LogSpoolKillDrill",
            dependencies: [
                "HTTPChainCore", "HTTPChainRemoteLogging", "HTTPChainLogShipper", "HTTPChainLogSpool",
                "HTTPChainURLSession", "DrillSupport", logging,
            ],
            path: "Tests/LogSpoolKillDrill",
            swiftSettings: settings
        ),
        .target(
            name: "ResilienceSimulator",
            dependencies: [
                "HTTPChainCore", "HTTPChainCircuitBreaker", "HTTPChainConcurrencyLimit", "HTTPChainHedging",
                "HTTPChainLoadShedding", "HTTPChainRateLimit",
            ],
            path: "Tests/ResilienceSimulator",
            swiftSettings: settings
        ),
        tests(
            "ResilienceTests",
            of: [
                "ResilienceSimulator", "HTTPChainCircuitBreaker", "HTTPChainConcurrencyLimit", "HTTPChainHedging",
                "HTTPChainLoadShedding", "HTTPChainRateLimit",
            ]
        ),
        tests("ReplyTests", of: ["ReplyDrill"]),
        .executableTarget(
            name: "ReplyDrill",
            dependencies: [
                "HTTPChain", "HTTPChainAsyncHTTPClient", "HTTPChainAuthDigest", "HTTPChainBrotli", "HTTPChainClient",
                "HTTPChainContentDigest", "HTTPChainErrorHandlerXML", "HTTPChainHAR", "HTTPChainInMemory",
                "HTTPChainMetrics", "HTTPChainOData", "HTTPChainPagination", "HTTPChainResumableUpload",
                "HTTPChainSerializerXML", "HTTPChainSigning", "HTTPChainSupport", "HTTPChainTracing", "HTTPChainZstd",
                "DrillSupport", httpTypes, logging, metrics, tracing[0],
            ],
            path: "Tests/ReplyDrill",
            swiftSettings: settings
        ),
        tests("RequestProcessorTests", of: ["HTTPChainRequestProcessor"]),
        tests(
            "ResumableUploadTests",
            of: [
                "HTTPChainResumableUpload", "HTTPChainAuth", "HTTPChainProgress", "HTTPChainRetry",
                "HTTPChainStatusValidation", "HTTPChainTimeout", "DrillSupport", "UploadKillDrill",
            ]
        ),
        .executableTarget(
            name: "UploadKillDrill",
            dependencies: ["HTTPChainCore", "HTTPChainSupport", "HTTPChainResumableUpload", "DrillSupport", httpTypes],
            path: "Tests/UploadKillDrill",
            swiftSettings: settings
        ),
        tests("RetryTests", of: ["HTTPChainRetry", "HTTPChainURLSession"]),
        tests("RoutesTests", of: ["HTTPChainRoutes", "HTTPChainRoutesYAML", "HTTPChainClient", "HTTPChain"]),
        tests("SerializerTests", of: ["HTTPChainSerializer"]),
        tests("SerializerXMLTests", of: ["HTTPChainSerializerXML", "HTTPChainSerializer", xmlCoder]),
        tests(
            "SimulationTests",
            of: [
                "HTTPChain", "HTTPChainAuthDigest", "HTTPChainContentDigest", "HTTPChainMetrics",
                "HTTPChainResumableUpload", "HTTPChainSigning", metrics,
            ]
        ),
        tests(
            "SigningTests",
            of: [
                "HTTPChainSigning", "HTTPChainSigningRSA", "HTTPChainAuth", "HTTPChainContentDigest",
                "HTTPChainRedirect", "HTTPChainRetry", "HTTPChainHeaders", crypto, cryptoExtras,
            ],
            excluding: ["interoperate.py"]
        ),
        tests("StatusValidationTests", of: ["HTTPChainStatusValidation"]),
        tests("TimeoutTests", of: ["HTTPChainTimeout"]),
        tests(
            "TracingTests",
            of: [
                "HTTPChainTracing", "HTTPChainAuth", "HTTPChainCache", "HTTPChainCoalescing", "HTTPChainHedging",
                "HTTPChainLogShipper", "HTTPChainRedirect", "HTTPChainRemoteLogging", "HTTPChainRetry",
                "HTTPChainTimeout", "HTTPChainTraceShipping", "HTTPChainURLBuilder", "HTTPChainURLSession", logging,
            ] + tracing
        ),
        // A server of others that tests start for themselves.
        .target(
            name: "ValkeyServer",
            dependencies: ["HTTPChainCore", "HTTPChainValkey", "TestSupport"] + valkeyNIO,
            path: "Tests/ValkeyServer",
            swiftSettings: settings
        ),
        tests(
            "ValkeyTests",
            of: [
                "HTTPChainAuth", "HTTPChainAuthValkey", "HTTPChainRateLimit", "HTTPChainRateLimitValkey",
                "HTTPChainValkey", "TokenKillDrill", "ValkeyServer",
            ]
        ),
        .executableTarget(
            name: "TokenKillDrill",
            dependencies: [
                "HTTPChainCore", "HTTPChainAuth", "HTTPChainAuthValkey", "HTTPChainValkey", "DrillSupport", httpTypes,
            ],
            path: "Tests/TokenKillDrill",
            swiftSettings: settings
        ),
        tests("URLBuilderTests", of: ["HTTPChainURLBuilder"], resources: [.copy("Resources")]),

        example(
            "BinClient",
            [
                "HTTPChainLogShipper", .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            excluding: ["Tests"]
        ),
        .testTarget(
            name: "BinClientTests",
            dependencies: [
                "BinClient", "HTTPChain", "HTTPChainHAR", "HTTPChainInMemory", "HTTPChainTesting", httpTypes,
            ],
            path: "Examples/BinClient/Tests",
            swiftSettings: settings
        ),
        example("CacheInspector", ["HTTPChainCacheSQLite", "HTTPChainInMemory"]),
        example(
            "Download",
            [.product(name: "FlyingFox", package: "FlyingFox"), .product(name: "FlyingSocks", package: "FlyingFox")]
        ),
        example("EventTail", ["HTTPChainTesting"]),
        .executableTarget(
            name: "har",
            dependencies: ["HTTPChainHAR", "HTTPChainCore"],
            path: "Examples/HARTool",
            swiftSettings: settings
        ),
        example(
            "Garden",
            ["HTTPChainClient", "HTTPChainOData", "HTTPChainPagination", "HTTPChainRoutes", "HTTPChainTesting"],
            excluding: ["Tests"]
        ),
        .testTarget(
            name: "GardenTests",
            dependencies: [
                "Garden", "HTTPChain", "HTTPChainClient", "HTTPChainRoutes", "HTTPChainTesting", "TestSupport",
            ],
            path: "Examples/Garden/Tests",
            swiftSettings: settings
        ),
        example("Greenhouse", ["HTTPChainMacros", "HTTPChainTesting"], excluding: ["Tests"]),
        .testTarget(
            name: "GreenhouseTests",
            dependencies: ["Greenhouse", "HTTPChainMacros", "HTTPChainPagination", "HTTPChainTesting", "TestSupport"],
            path: "Examples/Greenhouse/Tests",
            swiftSettings: settings
        ),
        example("OfflineList", ["HTTPChainClient", "HTTPChainTesting"]),
        example("RealApp", ["HTTPChainPagination", "HTTPChainTesting"]),
        example("RealService", ["HTTPChainLogShipper", "HTTPChainMetrics", "HTTPChainTesting"]),
        example("ResourceBrowser", ["HTTPChainClient", "HTTPChainTesting"]),
        example("RouteTool", ["HTTPChainClient", "HTTPChainRoutes", "HTTPChainTesting"]),
        example("Upload", ["HTTPChainClient", "HTTPChainTesting"]),
        example(
            "LogReceiver",
            [
                "HTTPChainHAR", "HTTPChainInMemory", "HTTPChainLogShipper", httpTypes, logging,
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            excluding: ["Tests"],
            resources: [
                "index.html", "page.css", "page.js", "records.js", "calls.js", "list.js", "views.js", "text.js",
                "examples.js", "archives.js", "traces.js", "metrics.js",
            ].map { .embedInCode("Page/\($0)") }
        ),
        example(
            "Quickstart",
            [
                httpTypes, .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ]
        ),
        example(
            "SignIn",
            ["HTTPChainOAuth", "HTTPChainInMemory", "SignInServer", httpTypes],
            excluding: ["AuthorizationServer"]
        ),
        .executableTarget(
            name: "ResilienceCurves",
            dependencies: [
                "ResilienceSimulator", "HTTPChainCircuitBreaker", "HTTPChainHedging", "HTTPChainLoadShedding",
            ],
            path: "Examples/ResilienceCurves",
            swiftSettings: settings
        ),
    ]
)

// Under a sanitizer a part of the tests runs. The other tests and the programs, which nobody would run, aren't built.
if let wanted = Context.environment["HTTPCHAIN_TEST_TARGETS"]?.split(separator: "|").map(String.init) {
    var needed: Set<String> = []
    func need(_ names: [String]) {
        for name in names where needed.insert(name).inserted {
            let target = package.targets.first { $0.name == name }
            need(target?.dependencies.compactMap(\.ownTarget) ?? [])
        }
    }
    need(wanted)
    package.targets.removeAll { [.test, .executable].contains($0.type) && !needed.contains($0.name) }
}

extension Target.Dependency {
    /// The name of a target of this package; of another package's it finds none.
    var ownTarget: String? {
        switch self {
        case .targetItem(let name, _), .byNameItem(let name, _): name
        default: nil
        }
    }
}
