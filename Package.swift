// swift-tools-version: 6.2
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

/// A middleware under `Middleware/`: it sees the core and nothing of its neighbours.
func stage(_ folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: "HTTPChain\(folder)",
        dependencies: ["HTTPChainCore", httpTypes] + dependencies,
        path: "Middleware/\(folder)",
        swiftSettings: settings
    )
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
        dependencies: ["HTTPChainCore", "HTTPChainInMemory", "HTTPChainTesting", "TestSupport", httpTypes]
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
    "Auth", "Cache", "Coalescing", "Cookies", "ErrorHandler", "Gzip", "Headers", "Multipart", "Progress", "Redirect",
    "RemoteLogging", "RequestProcessor", "Retry", "Serializer", "StatusValidation", "Timeout", "URLBuilder",
]

/// SHA-2 and MD5 where the system brings no CryptoKit.
let crypto = Target.Dependency.product(
    name: "Crypto",
    package: "swift-crypto",
    condition: .when(platforms: [.linux, .android, .windows, .wasi, .openbsd])
)

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")

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

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"]))

let xmlCoder = Target.Dependency.product(name: "XMLCoder", package: "XMLCoder", condition: .when(traits: ["XML"]))

let package = Package(
    name: "swift-http-chain",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "HTTPChain", targets: ["HTTPChain"]),
        .library(name: "HTTPChainCore", targets: ["HTTPChainCore"]),
        .library(name: "HTTPChainURLSession", targets: ["HTTPChainURLSession"]),
        .library(name: "HTTPChainInMemory", targets: ["HTTPChainInMemory"]),
        .library(name: "HTTPChainAsyncHTTPClient", targets: ["HTTPChainAsyncHTTPClient"]),
        .library(name: "HTTPChainAuthDigest", targets: ["HTTPChainAuthDigest"]),
        .library(name: "HTTPChainCacheSQLite", targets: ["HTTPChainCacheSQLite"]),
        .library(name: "HTTPChainContentDigest", targets: ["HTTPChainContentDigest"]),
        .library(name: "HTTPChainErrorHandlerXML", targets: ["HTTPChainErrorHandlerXML"]),
        .library(
            name: "HTTPChainRemoteLoggingServiceLifecycle",
            targets: ["HTTPChainRemoteLoggingServiceLifecycle"]
        ),
        .library(name: "HTTPChainSerializerXML", targets: ["HTTPChainSerializerXML"]),
        .library(name: "HTTPChainTesting", targets: ["HTTPChainTesting"]),
    ] + lightStages.map { .library(name: "HTTPChain\($0)", targets: ["HTTPChain\($0)"]) },
    traits: [
        .trait(
            name: "AsyncHTTPClient",
            description: "AsyncHTTPClientTransport, for servers: brings in async-http-client and SwiftNIO."
        ),
        .trait(
            name: "ServiceLifecycle",
            description: "LogShipper as a Service that is flushed on shutdown: brings in swift-service-lifecycle."
        ),
        .trait(name: "SQLite", description: "SQLiteCacheStore, for CacheMiddleware: brings in GRDB."),
        .trait(name: "XML", description: "XMLSerializer, for SerializerMiddleware: brings in XMLCoder."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/CoreOffice/XMLCoder", from: "0.18.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        library("HTTPChainCore", [httpTypes]),
        library("HTTPChainSupport", ["HTTPChainCore"]),
        library("HTTPChainURLSession", ["HTTPChainCore", httpTypes]),
        library("HTTPChainInMemory", ["HTTPChainCore", httpTypes]),
        library("HTTPChainAsyncHTTPClient", ["HTTPChainCore", httpTypes, asyncHTTPClient]),
        library(
            "HTTPChainTesting",
            [
                "HTTPChainCore", "HTTPChainInMemory", httpTypes,
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ]
        ),
        library(
            "HTTPChain",
            ["HTTPChainCore", "HTTPChainURLSession", "HTTPChainInMemory", httpTypes, logging]
                + lightStages.map { .target(name: "HTTPChain\($0)") }
        ),

        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]
        ),

        stage("Auth"),
        stage("AuthDigest", ["HTTPChainAuth", crypto]),
        stage("Cache", [structuredFields]),
        stage("CacheSQLite", ["HTTPChainCache", grdb]),
        stage("Coalescing"),
        stage("Cookies", ["HTTPChainSupport"]),
        stage("ContentDigest", [crypto, structuredFields]),
        stage("ErrorHandler"),
        stage("ErrorHandlerXML", ["HTTPChainErrorHandler", xmlCoder]),
        stage("Gzip", ["CZlib"]),
        stage("Headers"),
        stage("Multipart"),
        stage("Progress"),
        stage("Redirect"),
        stage("RemoteLogging", [logging, metrics, structuredFields]),
        stage("RemoteLoggingServiceLifecycle", ["HTTPChainRemoteLogging", serviceLifecycle]),
        stage("RequestProcessor"),
        stage("Retry"),
        stage("Serializer"),
        stage("SerializerXML", ["HTTPChainSerializer", xmlCoder]),
        stage("StatusValidation"),
        stage("Timeout"),
        stage("URLBuilder"),

        .target(
            name: "TestSupport",
            dependencies: ["HTTPChainCore", "HTTPChainInMemory", "HTTPChainTesting", httpTypes],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        tests("HTTPChainTests", of: ["HTTPChain", "HTTPChainAuthDigest"]),
        tests("HTTPChainCoreTests", of: []),
        tests(
            "HTTPChainURLSessionTests",
            of: ["HTTPChainURLSession", .product(name: "FlyingSocks", package: "FlyingFox")]
        ),
        tests("HTTPChainInMemoryTests", of: []),
        tests("HTTPChainAsyncHTTPClientTests", of: ["HTTPChainAsyncHTTPClient"]),
        tests("HTTPChainTestingTests", of: []),
        tests("AuthTests", of: ["HTTPChainAuth"]),
        tests("AuthDigestTests", of: ["HTTPChainAuthDigest", "HTTPChainAuth"]),
        tests("ChaosTests", of: ["HTTPChain", "HTTPChainAsyncHTTPClient"]),
        tests(
            "CacheTests",
            of: [
                "HTTPChainCache", "HTTPChainCacheSQLite", "HTTPChainURLSession", "HTTPChainAsyncHTTPClient",
                "CacheKillDrill", grdb,
            ]
        ),
        .executableTarget(
            name: "CacheKillDrill",
            dependencies: ["HTTPChainCore", "HTTPChainCache", "HTTPChainCacheSQLite", httpTypes],
            path: "Tests/CacheKillDrill",
            swiftSettings: settings
        ),
        tests("CoalescingTests", of: ["HTTPChainCoalescing"]),
        tests("CookiesTests", of: ["HTTPChainCookies", "HTTPChainSupport"], resources: [.copy("Resources")]),
        tests("ContentDigestTests", of: ["HTTPChainContentDigest"]),
        tests("ErrorHandlerTests", of: ["HTTPChainErrorHandler", "HTTPChainStatusValidation"]),
        tests(
            "ErrorHandlerXMLTests",
            of: ["HTTPChainErrorHandlerXML", "HTTPChainErrorHandler", "HTTPChainStatusValidation"]
        ),
        tests(
            "GzipTests",
            of: ["HTTPChainGzip", "HTTPChainContentDigest", "HTTPChainURLSession", "HTTPChainAsyncHTTPClient"]
        ),
        tests("HeadersTests", of: ["HTTPChainHeaders"]),
        tests(
            "InteroperabilityTests",
            of: ["HTTPChain", "HTTPChainAuthDigest", "HTTPChainContentDigest", "HTTPChainAsyncHTTPClient"],
            excluding: ["servers"]
        ),
        tests("MultipartTests", of: ["HTTPChainMultipart", "HTTPChainURLSession"], resources: [.copy("Resources")]),
        tests("ProgressTests", of: ["HTTPChainProgress", "HTTPChainGzip"]),
        tests("RedirectTests", of: ["HTTPChainRedirect"]),
        tests(
            "RemoteLoggingTests",
            of: [
                "HTTPChainRemoteLogging", "HTTPChainRemoteLoggingServiceLifecycle", "HTTPChainGzip",
                "HTTPChainURLSession", "LogSpoolKillDrill", logging, metrics, serviceLifecycle, unixSignals,
            ],
            resources: [.copy("Resources")]
        ),
        .executableTarget(
            name: "LogSpoolKillDrill",
            dependencies: ["HTTPChainCore", "HTTPChainRemoteLogging", "HTTPChainURLSession", logging],
            path: "Tests/LogSpoolKillDrill",
            swiftSettings: settings
        ),
        tests("RequestProcessorTests", of: ["HTTPChainRequestProcessor"]),
        tests("RetryTests", of: ["HTTPChainRetry", "HTTPChainURLSession"]),
        tests("SerializerTests", of: ["HTTPChainSerializer"]),
        tests("SerializerXMLTests", of: ["HTTPChainSerializerXML", "HTTPChainSerializer", xmlCoder]),
        tests("StatusValidationTests", of: ["HTTPChainStatusValidation"]),
        tests("TimeoutTests", of: ["HTTPChainTimeout"]),
        tests("URLBuilderTests", of: ["HTTPChainURLBuilder"], resources: [.copy("Resources")]),

        example("CacheInspector", ["HTTPChainCacheSQLite"]),
        example(
            "Download",
            [.product(name: "FlyingFox", package: "FlyingFox"), .product(name: "FlyingSocks", package: "FlyingFox")]
        ),
        example(
            "LogReceiver",
            [
                httpTypes, logging, .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            excluding: ["Tests"],
            resources: [
                "index.html", "page.css", "page.js", "records.js", "calls.js", "list.js", "views.js", "text.js",
                "examples.js",
            ].map { .embedInCode("Page/\($0)") }
        ),
        example(
            "Quickstart",
            [
                httpTypes, .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ]
        ),
    ]
)
