/// The options on the command line.
struct Options {
    /// The address to listen on.
    ///
    /// The default is the loopback interface, so that other machines can't read or write the log.
    var host = "127.0.0.1"
    /// The port.
    ///
    /// The default is OpenTelemetry's port, which its exporters use too.
    var port: UInt16 = 4318
    /// Archives of HTTP traffic (HAR 1.2) to show from the start.
    var archives: [String] = []
    /// The file that stores received records for the next start; none by default.
    var keptFile: String?
    /// Whether the receiver sends sample traffic to itself.
    var isDemo = false
    /// The format of the sample traffic.
    var demoFormat = "otlp"
    /// Whether the program ends once the sample traffic has arrived.
    var endsAfterDemo = false

    static let usage = """
        Usage: LogReceiver [--port <number>] [--host <IPv4 address>] [--har <file>]... [--keep <file>]
                            [--demo [--format <name>] [--once]]

          --port   where to listen; 4318 by default, 0 for any port that is free
          --host   the interface; 127.0.0.1 by default. Any other lets others read this log and write to it
          --har    an archive of HTTP traffic (HAR) to show; may be given more than once
          --keep   a file that keeps what was received, which is shown again at the next start
          --demo   sends sample traffic through a chain that logs to this receiver, and its traces
          --format with --demo: otlp, protobuf, loki or ndjson; otlp by default
          --once   with --demo: ends when the sample traffic has arrived, with status 0
        """

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--port":
                guard let text = rest.popFirst(), let port = UInt16(text) else {
                    throw UsageError(description: "--port needs a number from 0 to 65535.")
                }
                self.port = port
            case "--host":
                guard let host = rest.popFirst() else {
                    throw UsageError(description: "--host needs an IPv4 address.")
                }
                self.host = host
            case "--har":
                guard let path = rest.popFirst() else { throw UsageError(description: "--har needs a file.") }
                archives.append(path)
            case "--keep":
                guard let path = rest.popFirst() else { throw UsageError(description: "--keep needs a file.") }
                keptFile = path
            case "--demo": isDemo = true
            case "--format":
                guard let format = rest.popFirst(), ["otlp", "protobuf", "loki", "ndjson"].contains(format) else {
                    throw UsageError(description: "--format is otlp, protobuf, loki or ndjson.")
                }
                demoFormat = format
            case "--once": endsAfterDemo = true
            default: throw UsageError(description: "There is no option \(argument).")
            }
        }
        guard isDemo || !endsAfterDemo else { throw UsageError(description: "--once goes with --demo.") }
    }
}

/// The error for an invalid command line.
struct UsageError: Error, CustomStringConvertible {
    var description: String
}
