// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// What FlyingSocks has on Darwin alone (FlyingSocks/Sources/Socket.swift).
import FlyingSocks

extension SocketOption where Self == BoolSocketOption { public static var noSIGPIPE: Self { fatalError() } }
