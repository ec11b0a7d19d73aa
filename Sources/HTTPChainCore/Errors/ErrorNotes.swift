/// A note that a stage adds to an error passing through it.
///
/// ```swift
/// enum Attempts: ErrorNote { typealias Value = Int }
/// error.notes[Attempts.self] = 3
/// ```
package protocol ErrorNote {
    /// The type of the note; its description becomes part of the error's.
    associatedtype Value: Sendable & CustomStringConvertible
}

/// Notes that stages add to an error without changing its type.
package struct ErrorNotes: Sendable, CustomStringConvertible {
    private var storage = OptionStorage()

    /// Makes an empty collection of notes.
    package init() {}

    /// The note of a type, or `nil` if there is none.
    package subscript<Note: ErrorNote>(_ note: Note.Type) -> Note.Value? {
        get { storage.value(note, as: Note.Value.self) }
        set {
            if let newValue { storage.set(newValue, for: note) } else { storage.remove(note) }
        }
    }

    /// Whether there are no notes.
    package var isEmpty: Bool { storage.isEmpty }

    /// The notes, each on separate lines, in the order they were added.
    package var description: String {
        storage.texts.joined(separator: "\n")
    }
}

/// A note with the number of attempts, which a retrying stage adds so that outer stages can read it without depending
/// on that stage.
package protocol AttemptCounting {
    /// The total number of attempts made.
    var attemptCount: Int { get }
}

extension ErrorNotes {
    /// The number of attempts made, or `nil` if no retrying stage added it.
    package var attemptCount: Int? {
        for case let note as any AttemptCounting in storage.values { return note.attemptCount }
        return nil
    }
}

/// An error to which stages can add notes.
///
/// Wrapping the error instead would hide its type from code that catches it.
package protocol AnnotatedError: HTTPChainError {
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
