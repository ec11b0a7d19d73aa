// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// What AsyncHTTPClient has where there is Network:
// https://github.com/swift-server/async-http-client/blob/main/Sources/AsyncHTTPClient/NIOTransportServices/NWErrorHandler.swift
import AsyncHTTPClient
import Foundation

extension HTTPClient {
    public struct NWPOSIXError: Error { public let errorCode: POSIXErrorCode }
    public struct NWTLSError: Error { public let status: Int32 }
}
