//! Calculations that are cut, where others of the same item are rounded, and groups of varying length that are cut.

use super::{found, name};
use crate::hazards::HazardKind::{GroupCut, Unrounded};

#[test]
fn the_only_calculation_of_an_item_that_is_not_rounded() {
    let data = "01 A PIC 9(5)V99.\n01 R PIC 9V9(5).\n01 N PIC 9(3).\n01 T PIC 9(7)V99.";
    let told = |last: &str| {
        let rounded = "COMPUTE T ROUNDED = A * R.\nDISPLAY T.\nMULTIPLY A BY R GIVING T ROUNDED.\nDISPLAY T.\n";
        let kinds = found("", data, &format!("ACCEPT A.\nACCEPT R.\nACCEPT N.\n{rounded}{last}\nDISPLAY T.\nGOBACK."));
        kinds.into_iter().filter(|kind| matches!(kind, Unrounded { .. })).collect::<Vec<_>>()
    };
    let hazard = Unrounded { item: name("T"), others: 2 };
    assert_eq!(told("COMPUTE T = A * R."), std::slice::from_ref(&hazard));
    assert_eq!(told("DIVIDE A BY N GIVING T."), [hazard]);
    // Nothing is cut, or it is cut as a rule.
    assert_eq!(told("COMPUTE T = A * N."), []);
    assert_eq!(told("COMPUTE T = A + R."), []);
    assert_eq!(told("COMPUTE T = A * R.\nDISPLAY T.\nCOMPUTE T = R * A."), []);
}

#[test]
fn a_group_of_varying_length_that_comes_back_from_a_shorter_item() {
    let data = "01 G.\n05 K PIC X(10).\n05 C PIC 99.\n05 E OCCURS 1 TO 40\nDEPENDING ON C.\n10 V PIC X(10).\n";
    let told = |image: u32| {
        let text = "ACCEPT G.\nMOVE G TO I.\nDISPLAY I.\nMOVE I TO G.\nDISPLAY G.\nGOBACK.";
        let kinds = found("", &format!("{data}01 I PIC X({image})."), text);
        kinds.into_iter().find(|kind| matches!(kind, GroupCut { .. }))
    };
    let cut = |room: u64, lost: &str| {
        Some(GroupCut { from: name("G"), length: 412, to: name("I"), room, lost: vec![name(lost)] })
    };
    assert_eq!(told(212), cut(212, "entry 21 of E"));
    assert_eq!(told(211), cut(211, "entry 20 of E"));
    assert_eq!(told(412), None);
}
