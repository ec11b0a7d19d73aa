// swift-tools-version: 6.2
import PackageDescription

func library(_ name: String) -> Target.Dependency {
    .product(name: name, package: "swift-http-chain")
}

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-http-chain", path: "../..", traits: ["Brotli", "YAML", "Zstd"]),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"), library("HTTPChainAuth"),
                library("HTTPChainAuthDigest"), library("HTTPChainBrotli"), library("HTTPChainCache"),
                library("HTTPChainCookies"),
                library("HTTPChainCore"), library("HTTPChainEventStream"),
                library("HTTPChainGzip"), library("HTTPChainHAR"), library("HTTPChainLogShipper"),
                library("HTTPChainLogSpool"),
                library("HTTPChainMultipart"), library("HTTPChainOData"),
                library("HTTPChainRedirect"), library("HTTPChainRemoteLogging"), library("HTTPChainResumableUpload"),
                library("HTTPChainRoutes"), library("HTTPChainRoutesYAML"),
                library("HTTPChainSerializer"), library("HTTPChainSigning"),
                library("HTTPChainURLBuilder"), library("HTTPChainZstd"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]
        )
    ]
)
