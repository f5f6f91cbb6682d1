//! The size of the interface, in the menu and by keys.

use app::action::Command;
use app::state::ThemeChoice;
use eframe::egui::{Key, Modifiers};

use super::Window;

#[test]
fn the_interface_becomes_larger_smaller_and_normal_again() {
    let mut window = Window::new([1280.0, 800.0], ThemeChoice::Dark);
    let context = window.harness.ctx.clone();
    let mut ask = |command: Command| {
        let app = window.harness.state_mut();
        app.act(vec![command.into()], Some(&context));
        window.harness.run();
        context.zoom_factor()
    };
    let larger = ask(Command::LargerInterface);
    assert!(larger > 1.0, "{larger}");
    assert!(ask(Command::SmallerInterface) < larger);
    let smaller = ask(Command::SmallerInterface);
    assert!(smaller < 1.0, "{smaller}");
    assert_eq!(ask(Command::ResetInterface).to_bits(), 1.0_f32.to_bits());
    // One press is one step: egui's own keys are off.
    window
        .harness
        .key_press_modifiers(Modifiers::COMMAND, Key::Plus);
    window.harness.run();
    assert_eq!(context.zoom_factor().to_bits(), larger.to_bits());
}
