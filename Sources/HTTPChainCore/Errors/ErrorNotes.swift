/// Something that a stage adds to an error that passes it.
///
/// ```swift
/// enum Attempts: ErrorNote { typealias Value = Int }
/// error.notes[Attempts.self] = 3
/// ```
public protocol ErrorNote {
    /// The type of the note; its description stands in that of the error.
    associatedtype Value: Sendable & CustomStringConvertible
}

/// The notes that stages add to an error: it is still the error it was, of the same type, and tells more.
public struct ErrorNotes: Sendable, CustomStringConvertible {
    private var storage = OptionStorage()

    /// Nothing added.
    public init() {}

    /// The note of a type; `nil` where there is none.
    public subscript<Note: ErrorNote>(_ note: Note.Type) -> Note.Value? {
        get { storage.value(note, as: Note.Value.self) }
        set {
            if let newValue { storage.set(newValue, for: note) } else { storage.remove(note) }
        }
    }

    /// Whether nothing was added.
    public var isEmpty: Bool { storage.entries.isEmpty }

    /// The notes, each on lines of its own, in the order they were added.
    public var description: String {
        storage.texts.joined(separator: "\n")
    }
}

/// A note with a number of attempts, which a stage that sends requests again adds to an error: stages further out learn
/// of it without knowing the stage.
public protocol AttemptCounting {
    /// The number of attempts that were made in all.
    var attemptCount: Int { get }
}

extension ErrorNotes {
    /// The number of attempts that were made, where a stage that sends again told; `nil` otherwise.
    public var attemptCount: Int? {
        for case let note as any AttemptCounting in storage.values { return note.attemptCount }
        return nil
    }
}

/// An error that stages can add to, where wrapping it would hide its type from whoever catches it.
public protocol AnnotatedError: HTTPChainError {
    /// The notes that stages added.
    var notes: ErrorNotes { get set }
}

extension AnnotatedError {
    /// Stage, reason, exchange, cause and notes, on a few lines.
    public var description: String {
        notes.isEmpty ? baseDescription : "\(baseDescription)\n  \(notes.indented)"
    }
}

extension ErrorNotes {
    var indented: String {
        description.pieces(at: "\n").joined(separator: "\n  ")
    }
}
