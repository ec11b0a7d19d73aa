// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// What FlyingSocks has on Darwin alone:
// https://github.com/swhitty/FlyingFox/blob/main/FlyingSocks/Sources/Socket.swift
import FlyingSocks

extension SocketOption where Self == BoolSocketOption { public static var noSIGPIPE: Self { fatalError() } }
